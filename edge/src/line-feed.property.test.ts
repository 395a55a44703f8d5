import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { LineFeed, type LineSource, type OnSent } from './line-feed.ts';

const bufferedBytes = 100;
const bytesPerLine = 10;
const maxLinesPerPiece = 5;

type Event =
  | { readonly seq: number }
  | { readonly missing: readonly [from: number, to: number] }
  | { readonly state: number };

/** A feed of a source that forgets its oldest lines, over a socket that sends only on demand. */
function createWorld(batch: boolean) {
  const sent: Event[] = [];
  const unsent: { readonly bytes: number; readonly onSent: OnSent | undefined }[] = [];
  const countUnsent = () => unsent.reduce((sum, { bytes }) => sum + bytes, 0);
  // It never gets a response: what the feed uses is replaced.
  const silence = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const socket = new WebSocket('ws://nowhere', { createConnection: () => silence });
  Object.defineProperties(socket, {
    readyState: { value: WebSocket.OPEN },
    bufferedAmount: { get: countUnsent },
  });
  vi.spyOn(socket, 'send').mockImplementation((frame) => void sent.push(JSON.parse(String(frame))));

  let first = 0;
  let next = 0;
  const source: LineSource<readonly number[]> = {
    read(seq) {
      if (seq >= next) return null;
      if (seq < first) return { gap: { missing: [seq, first] }, nextSeq: first };
      const nextSeq = Math.min(next, seq + maxLinesPerPiece);
      return { lines: Array.from({ length: nextSeq - seq }, (_, index) => seq + index), nextSeq };
    },
    write(lines, onSent) {
      for (const seq of lines) sent.push({ seq });
      unsent.push({ bytes: lines.length * bytesPerLine, onSent });
    },
  };
  const feed = new LineFeed({
    socket,
    source,
    batch,
    limits: { bufferedBytes, heartbeatMs: 3_600_000, silentHeartbeats: 1 },
  });
  return {
    feed,
    sent,
    countUnsent,
    append(lines: number) {
      next += lines;
      feed.wake();
    },
    forget(lines: number) {
      first = Math.min(next, first + lines);
    },
    /** The operating system accepts the oldest frame. */
    accept() {
      unsent.shift()?.onSent?.();
    },
    get next() {
      return next;
    },
    close: () => socket.emit('close', 1000, Buffer.alloc(0)),
  };
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('append'), lines: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('forget'), lines: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('accept'), lines: fc.constant(0) }),
  fc.record({ kind: fc.constant('state'), lines: fc.constant(0) }),
);

it('sends each number once and in order, or says that it is missing, and never buffers more than a piece too much', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const world = createWorld(true);
      let states = 0;
      world.feed.start(0);
      for (const { kind, lines } of steps) {
        if (kind === 'append') world.append(lines);
        else if (kind === 'forget') world.forget(lines);
        else if (kind === 'accept') world.accept();
        else {
          states += 1;
          world.feed.sendNewest({ state: states });
        }
        expect(world.countUnsent()).toBeLessThanOrEqual(bufferedBytes + maxLinesPerPiece * bytesPerLine);
      }
      while (world.countUnsent() > 0) world.accept();
      let seq = 0;
      let state = 0;
      for (const event of world.sent) {
        if ('state' in event) {
          expect(event.state).toBeGreaterThan(state);
          state = event.state;
        } else if ('missing' in event) {
          expect(event.missing[0]).toBe(seq);
          [, seq] = event.missing;
        } else {
          expect(event.seq).toBe(seq);
          seq += 1;
        }
      }
      expect(seq).toBe(world.next);
      expect(state).toBe(states);
      world.close();
    }),
  );
});

it('sends only lines to a viewer that understands nothing else', () => {
  const world = createWorld(false);
  onTestFinished(() => void world.close());
  world.append(20);
  world.forget(15);
  world.feed.start(0);
  world.feed.sendNewest({ state: 1 });
  expect(world.sent).toEqual([15, 16, 17, 18, 19].map((seq) => ({ seq })));
});

it('sends nothing before it is started', () => {
  const world = createWorld(true);
  onTestFinished(() => void world.close());
  world.append(3);
  expect(world.sent).toEqual([]);
  expect(world.feed.hasStarted).toBe(false);
});
