import { type BatchFrame, logCloseCodes, logTailChars, logTailLines, logTexts } from '@portal/contract/logs';
import { describe, expect, it } from 'vitest';
import {
  type Connection,
  type ConnectionEffect,
  type ConnectionEvent,
  closedConnection,
  step,
} from './log-connection.ts';

/** Runs events from the closed state; `random` 1 makes each wait as long as it may be. */
function run(events: readonly ConnectionEvent[], from: Connection = closedConnection) {
  let state = from;
  const effects: ConnectionEffect[] = [];
  for (const event of events) {
    const taken = step(state, event, () => 1);
    state = taken.next;
    effects.push(...taken.effects);
  }
  return { state, effects, markers: markersOf(effects), shown: shownOf(effects) };
}

const markersOf = (effects: readonly ConnectionEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'marker' ? [effect.text] : []));
const shownOf = (effects: readonly ConnectionEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'lines' ? effect.lines.map(([, , value]) => value) : []));

const frame = (content: BatchFrame): ConnectionEvent => ({ type: 'frame', frame: content });
const hello = (resumed: 'new' | 'nothing-lost' | 'gap', nextSeq = 1, stream = 'a') =>
  frame({ type: 'hello', stream, nextSeq, resumed });
const lines = (seq: number, ...values: string[]) =>
  frame({ type: 'lines', seq, lines: values.map((value, index) => [1000 + seq + index, 'INFO', value]) });

const play: ConnectionEvent = { type: 'play' };
const lost: ConnectionEvent = { type: 'closed', code: 1006 };
const timer: ConnectionEvent = { type: 'timer' };
const streaming = [play, hello('new'), lines(1, 'one', 'two')];

describe('the log connection', () => {
  it('opens, streams and is closed by Stop with the specified words', () => {
    const { state, markers, shown } = run([...streaming, { type: 'stop' }]);
    expect(shown).toEqual(['one', 'two']);
    expect(state.phase).toBe('closed');
    expect(state.message).toBe('Socket closed with code 1000.');
    expect(markers).toEqual([logTexts.terminated]);
  });

  it('comes back by itself when it is lost, behind the last line', () => {
    const { state, effects, markers, shown } = run([
      ...streaming,
      lost,
      timer,
      hello('nothing-lost', 3),
      lines(3, 'three'),
    ]);
    expect(state.phase).toBe('streaming');
    expect(effects.filter((effect) => effect.type === 'connect').at(-1)).toEqual({
      type: 'connect',
      hello: {
        batch: true,
        after: {
          stream: 'a',
          seq: 2,
          millis: 1002,
          tail: [
            [1001, 'INFO', 'one'],
            [1002, 'INFO', 'two'],
          ],
        },
      },
    });
    expect(markers).toEqual([logTexts.terminated, 'Reconnected: nothing lost.']);
    expect(shown).toEqual(['one', 'two', 'three']);
  });

  it('explains the abnormal close', () => {
    const { state } = run([...streaming, lost]);
    expect(state.message).toMatch(/^Socket closed with code 1006\. .+/);
    expect(state.phase).toBe('waiting');
  });

  it('waits longer each time, at most half a minute, and says once that it was closed', () => {
    const { effects, markers } = run([...streaming, ...Array.from({ length: 9 }, () => [lost, timer]).flat()]);
    const waits = effects.flatMap((effect, index) =>
      effects[index - 1]?.type === 'marker' || effects[index - 1]?.type === 'disconnect'
        ? effect.type === 'timer'
          ? [effect.ms]
          : []
        : [],
    );
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(markers).toEqual([logTexts.terminated]);
  });

  it('starts with short waits again once lines have come', () => {
    const { state } = run([...streaming, lost, timer, lost, timer, hello('nothing-lost', 3), lines(3, 'three'), lost]);
    expect(state.waitMs).toBe(500);
  });

  it.each([
    logCloseCodes.notSignedIn,
    logCloseCodes.refused,
    logCloseCodes.unknownApp,
    logCloseCodes.badFrame,
    logCloseCodes.platformRefused,
  ])('does not knock again after the final code %i', (code) => {
    const { state } = run([...streaming, { type: 'closed', code }]);
    expect(state.phase).toBe('closed');
    expect(state.message).toMatch(new RegExp(`^Socket closed with code ${code}\\. [A-Z].+\\.$`));
  });

  it.each([1000, 1001, 1006, 1011, 1012, logCloseCodes.tooMany])('tries again after code %i', (code) => {
    expect(run([...streaming, { type: 'closed', code }]).state.phase).toBe('waiting');
  });

  it('takes silence for a loss', () => {
    const { state, effects } = run([...streaming, timer]);
    expect(state.phase).toBe('waiting');
    expect(state.message).toBe('Nothing heard from the portal for 15 s.');
    expect(effects.filter((effect) => effect.type === 'disconnect')).toHaveLength(1);
  });

  it('watches again after every frame', () => {
    const { effects } = step(run(streaming).state, frame({ type: 'beat', seq: 2 }));
    expect(effects).toEqual([{ type: 'timer', ms: 15_000 }]);
  });

  it('goes on at once when the network is back, or on Play', () => {
    const waiting = run([...streaming, lost]).state;
    expect(run([{ type: 'online' }], waiting).state.phase).toBe('opening');
    expect(run([play], waiting).state.phase).toBe('opening');
    expect(run([{ type: 'online' }], run(streaming).state).effects).toEqual([]);
    expect(run([{ type: 'online' }]).state.phase).toBe('closed');
  });

  it('marks numbered gaps with their size and goes on behind them', () => {
    const gap = frame({
      type: 'gap',
      nextSeq: 1205,
      gap: { reason: 'slow-viewer', lines: 1202, fromMillis: 1000, toMillis: 4000 },
    });
    const { markers, shown, state } = run([...streaming, gap, lines(1205, 'later')]);
    expect(markers).toEqual(['gap: 1,202 lines, over 3 seconds (this page could not keep up).']);
    expect(shown).toEqual(['one', 'two', 'later']);
    expect(state.position?.seq).toBe(1205);
  });

  it('leaves out lines whose numbers it has had', () => {
    const { shown, markers } = run([...streaming, lines(2, 'two', 'three'), lines(1, 'one'), lines(4, 'four')]);
    expect(shown).toEqual(['one', 'two', 'three', 'four']);
    expect(markers).toEqual([]);
  });

  it('marks a gap once, also when hello announced it', () => {
    const gap = frame({ type: 'gap', nextSeq: 9, gap: { reason: 'ring', lines: 6, fromMillis: null, toMillis: null } });
    const again = [...streaming, lost, timer, hello('gap', 9)];
    expect(run([...again, gap, lines(9, 'nine')]).markers.slice(1)).toEqual([
      'gap: 6 lines (they were too old for the portal to still have them).',
    ]);
    expect(run([...again, lines(9, 'nine')]).markers.slice(1)).toEqual(['gap: 6 lines.']);
  });

  it('marks a gap nobody can measure when the server knows nothing of what was shown', () => {
    const { markers } = run([...streaming, lost, timer, hello('new', 1, 'b'), lines(1, 'anew')]);
    expect(markers.slice(1)).toEqual(['gap: lines are missing, nobody knows how many.']);
  });

  it('notices by a beat that lines are missing', () => {
    const { markers } = run([...streaming, frame({ type: 'beat', seq: 5 }), lines(6, 'six')]);
    expect(markers).toEqual(['gap: 3 lines.']);
  });

  it('says what the portal says about the platform', () => {
    const waiting = frame({ type: 'state', state: 'waiting', message: 'The platform does not answer.', retryMs: 4000 });
    expect(run([...streaming, waiting]).state).toMatchObject({
      phase: 'streaming',
      message: 'The platform does not answer.',
      waitMs: 4000,
    });
  });

  it('tells of its last lines only, cut short', () => {
    const many = Array.from({ length: logTailLines + 5 }, (_, index) => `${index} ${'x'.repeat(500)}`);
    const { tail } = run([play, hello('new'), lines(1, ...many), lines(1 + many.length, 'last')]).state;
    expect(tail).toHaveLength(logTailLines);
    expect(tail.at(-1)?.[2]).toBe('last');
    expect(Math.max(...tail.map(([, , value]) => value.length))).toBe(logTailChars);
  });

  it('comes as a newcomer while it has seen no line', () => {
    const { effects } = run([play, hello('new', 77), lost, timer]);
    expect(effects.filter((effect) => effect.type === 'connect').at(-1)).toEqual({
      type: 'connect',
      hello: { batch: true },
    });
  });

  it('ends on frames it cannot read instead of knocking for ever', () => {
    expect(run([...streaming, { type: 'garbled' }]).state.phase).toBe('closed');
  });
});
