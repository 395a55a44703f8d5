import type { BatchFrame, LogHello, LogLine } from '@portal/contract/logs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConnectionEffect, type ConnectionEvent, closedConnection, transition } from './log-connection.ts';

/** A model of the server with a ring buffer of recent lines. Every line has a unique value. */
class ModelServer {
  readonly produced: LogLine[] = [];
  #stream = 0;
  /** The index in `produced` of line number 1 of this stream. */
  #origin = 0;
  readonly #ringSize: number;

  constructor(ringSize: number) {
    this.#ringSize = ringSize;
  }

  produce(count: number): BatchFrame {
    const seq = this.#nextSeq;
    const from = this.produced.length;
    // Three lines share a millisecond, so time alone cannot distinguish them.
    for (let index = from; index < from + count; index += 1) {
      this.produced.push([1000 + Math.floor(index / 3), 'INFO', `line ${index}`]);
    }
    return { type: 'lines', seq, lines: this.produced.slice(from) };
  }

  restart(): void {
    this.#stream += 1;
    this.#origin = Math.max(0, this.produced.length - this.#ringSize);
  }

  greet(after: LogHello['after']): BatchFrame[] {
    const stream = String(this.#stream);
    const oldest = Math.max(this.#origin, this.produced.length - this.#ringSize);
    if (after !== undefined && after.stream !== stream) return this.#greetByTime(after, oldest);
    const wanted = after === undefined ? oldest : this.#origin + after.seq;
    const start = Math.max(oldest, wanted);
    return this.#from(start, after === undefined ? 'new' : start > wanted ? 'gap' : 'nothing-lost');
  }

  /**
   * With a different numbering, the viewer already has its reported tail and everything before it.
   */
  #greetByTime(after: NonNullable<LogHello['after']>, oldest: number): BatchFrame[] {
    const received = new Set(after.tail?.map(([, , value]) => value));
    const firstReceived = this.produced.findIndex(([, , value]) => received.has(value));
    if (firstReceived < oldest) return this.#from(oldest, 'gap');
    const lastReceived = this.produced.findLastIndex(([, , value]) => received.has(value));
    return this.#from(lastReceived + 1, 'nothing-lost');
  }

  #from(start: number, resumed: 'new' | 'nothing-lost' | 'gap'): BatchFrame[] {
    const nextSeq = start - this.#origin + 1;
    const lines = this.produced.slice(start);
    return [
      { type: 'hello', stream: String(this.#stream), nextSeq, resumed },
      ...(lines.length > 0 ? [{ type: 'lines' as const, seq: nextSeq, lines }] : []),
    ];
  }

  get #nextSeq(): number {
    return this.produced.length - this.#origin + 1;
  }
}

type TestStep =
  | { action: 'lines'; count: number }
  | { action: 'unseen'; count: number }
  | { action: 'again' }
  | { action: 'restart' };

const steps: fc.Arbitrary<TestStep[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ action: fc.constant('lines' as const), count: fc.integer({ min: 1, max: 8 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ action: fc.constant('unseen' as const), count: fc.integer({ min: 1, max: 8 }) }),
    },
    { weight: 1, arbitrary: fc.constant({ action: 'again' as const }) },
    { weight: 1, arbitrary: fc.constant({ action: 'restart' as const }) },
  ),
  { maxLength: 30 },
);

function play(all: readonly TestStep[], ringSize: number) {
  const server = new ModelServer(ringSize);
  let state = closedConnection;
  const effects: ConnectionEffect[] = [];
  const send = (event: ConnectionEvent) => {
    const result = transition(state, event, { random: () => 0, isPageVisible: true });
    state = result.next;
    effects.push(...result.effects);
    for (const effect of result.effects) {
      if (effect.type === 'connect')
        for (const frame of server.greet(effect.hello.after)) send({ type: 'frame', frame });
    }
  };
  const reconnect = () => {
    send({ type: 'closed', code: 1006 });
    send({ type: 'timer' });
  };
  send({ type: 'play' });
  for (const step of all) {
    if (step.action === 'lines') send({ type: 'frame', frame: server.produce(step.count) });
    else if (step.action === 'unseen') {
      server.produce(step.count);
      reconnect();
    } else {
      if (step.action === 'restart') server.restart();
      reconnect();
    }
  }
  const shown = effects.flatMap((effect) => (effect.type === 'lines' ? effect.lines.map(([, , value]) => value) : []));
  const gaps = effects.filter((effect) => effect.type === 'marker' && effect.kind === 'gap');
  return { server, shown, gaps };
}

describe('resuming a log stream', () => {
  it('never shows a line twice or out of order across disconnects and restarts', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 40 }), (all, ringSize) => {
        const { server, shown } = play(all, ringSize);
        const order = new Map(server.produced.map(([, , value], index) => [value, index]));
        const indexes = shown.map((value) => order.get(value) ?? -1);
        expect(indexes).toEqual([...new Set(indexes)].sort((left, right) => left - right));
      }),
    );
  });

  it('loses nothing while the ring buffer reaches back far enough', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { server, shown, gaps } = play(all, 1000);
        expect(shown).toEqual(server.produced.map(([, , value]) => value));
        expect(gaps).toEqual([]);
      }),
    );
  });

  it('marks the number of missing lines when the ring buffer does not reach back', () => {
    fc.assert(
      fc.property(
        steps.map((all) => all.filter((step) => step.action !== 'restart')),
        fc.integer({ min: 1, max: 10 }),
        (all, ringSize) => {
          const { server, shown, gaps } = play(all, ringSize);
          const missing = gaps.reduce((sum, gap) => sum + (gap.type === 'marker' ? (gap.lines ?? Number.NaN) : 0), 0);
          expect(shown.length + missing).toBe(server.produced.length);
        },
      ),
    );
  });
});
