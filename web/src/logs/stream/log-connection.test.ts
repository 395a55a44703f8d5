import { type BatchFrame, logCloseCodes, logTailChars, logTailLines, logTexts } from '@portal/contract/logs';
import { describe, expect, it } from 'vitest';
import {
  type Connection,
  type ConnectionEffect,
  type ConnectionEvent,
  closedConnection,
  type RetryOptions,
  transition,
} from './log-connection.ts';

/** Runs events from the closed state. `random` 1 makes each wait as long as possible. */
const visible: RetryOptions = { random: () => 1, isPageVisible: true };
const hidden: RetryOptions = { ...visible, isPageVisible: false };

function run(events: readonly ConnectionEvent[], from: Connection = closedConnection, retry = visible) {
  let state = from;
  const effects: ConnectionEffect[] = [];
  for (const event of events) {
    const result = transition(state, event, retry);
    state = result.next;
    effects.push(...result.effects);
  }
  return { state, effects, markers: getMarkers(effects), shown: getShownLines(effects) };
}

const getMarkers = (effects: readonly ConnectionEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'marker' ? [effect.text] : []));
const getShownLines = (effects: readonly ConnectionEffect[]) =>
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

describe('log connection', () => {
  it('opens, streams, and shows the specified messages on Stop', () => {
    const { state, markers, shown } = run([...streaming, { type: 'stop' }]);
    expect(shown).toEqual(['one', 'two']);
    expect(state.phase).toBe('closed');
    expect(state.message).toBe('Socket closed with code 1000.');
    expect(markers).toEqual([logTexts.terminated]);
  });

  it('reconnects after a lost connection and resumes after the last line', () => {
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

  it('explains an abnormal close', () => {
    const { state } = run([...streaming, lost]);
    expect(state.message).toMatch(/^Socket closed with code 1006\. .+/);
    expect(state.phase).toBe('waiting');
  });

  it.each([
    ['1.5 s while the page is visible', visible, [500, 1000, 1500, 1500, 1500, 1500, 1500, 1500, 1500]],
    ['30 s while the page is hidden', hidden, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]],
  ])('doubles the wait up to %s and reports the close once', (_, retry, expected) => {
    const events = [...streaming, ...Array.from({ length: 9 }, () => [lost, timer]).flat()];
    const { effects, markers } = run(events, closedConnection, retry);
    const waits = effects.flatMap((effect, index) =>
      effects[index - 1]?.type === 'marker' || effects[index - 1]?.type === 'disconnect'
        ? effect.type === 'timer'
          ? [effect.ms]
          : []
        : [],
    );
    expect(waits).toEqual(expected);
    expect(markers).toEqual([logTexts.terminated]);
  });

  it('resets the wait after lines arrive', () => {
    const { state } = run([...streaming, lost, timer, lost, timer, hello('nothing-lost', 3), lines(3, 'three'), lost]);
    expect(state.waitMs).toBe(500);
  });

  it.each([
    logCloseCodes.notSignedIn,
    logCloseCodes.refused,
    logCloseCodes.unknownApp,
    logCloseCodes.badFrame,
    logCloseCodes.platformRefused,
  ])('does not reconnect after the final code %i', (code) => {
    const { state } = run([...streaming, { type: 'closed', code }]);
    expect(state.phase).toBe('closed');
    expect(state.message).toMatch(new RegExp(`^Socket closed with code ${code}\\. [A-Z].+\\.$`));
  });

  it.each([1000, 1001, 1006, 1011, 1012, logCloseCodes.tooMany])('reconnects after code %i', (code) => {
    expect(run([...streaming, { type: 'closed', code }]).state.phase).toBe('waiting');
  });

  it('treats silence as a lost connection', () => {
    const { state, effects } = run([...streaming, timer]);
    expect(state.phase).toBe('waiting');
    expect(state.message).toBe('No data from the portal for 15 s.');
    expect(effects.filter((effect) => effect.type === 'disconnect')).toHaveLength(1);
  });

  it('restarts the silence timer after every frame', () => {
    const { effects } = transition(run(streaming).state, frame({ type: 'beat', seq: 2 }), visible);
    expect(effects).toEqual([{ type: 'timer', ms: 15_000 }]);
  });

  it('shows why the stream is interrupted also during the next attempts', () => {
    const { message } = run([...streaming, lost]).state;
    expect(run([...streaming, lost, timer]).state).toMatchObject({ phase: 'opening', attempt: 1, message });
  });

  it('reconnects immediately when the network is back or on Play', () => {
    const waiting = run([...streaming, lost]).state;
    expect(run([{ type: 'online' }], waiting).state.phase).toBe('opening');
    expect(run([play], waiting).state.phase).toBe('opening');
    expect(run([{ type: 'online' }], run(streaming).state).effects).toEqual([]);
    expect(run([{ type: 'online' }]).state.phase).toBe('closed');
  });

  it('marks numbered gaps with their size and continues after them', () => {
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

  it('skips lines with numbers it already received', () => {
    const { shown, markers } = run([...streaming, lines(2, 'two', 'three'), lines(1, 'one'), lines(4, 'four')]);
    expect(shown).toEqual(['one', 'two', 'three', 'four']);
    expect(markers).toEqual([]);
  });

  it('marks a gap once even if hello announced it', () => {
    const gap = frame({ type: 'gap', nextSeq: 9, gap: { reason: 'ring', lines: 6, fromMillis: null, toMillis: null } });
    const again = [...streaming, lost, timer, hello('gap', 9)];
    expect(run([...again, gap, lines(9, 'nine')]).markers.slice(1)).toEqual([
      'gap: 6 lines (the portal no longer has them).',
    ]);
    expect(run([...again, lines(9, 'nine')]).markers.slice(1)).toEqual(['gap: 6 lines.']);
  });

  it('marks a gap of unknown size when the server does not recognize the shown lines', () => {
    const { markers } = run([...streaming, lost, timer, hello('new', 1, 'b'), lines(1, 'again')]);
    expect(markers.slice(1)).toEqual(['gap: an unknown number of lines is missing.']);
  });

  it('detects missing lines from a heartbeat', () => {
    const { markers } = run([...streaming, frame({ type: 'beat', seq: 5 }), lines(6, 'six')]);
    expect(markers).toEqual(['gap: 3 lines.']);
  });

  it("shows the portal's message about the platform", () => {
    const waiting = frame({ type: 'state', state: 'waiting', message: 'The platform does not answer.', retryMs: 4000 });
    expect(run([...streaming, waiting]).state).toMatchObject({
      phase: 'streaming',
      platform: 'waiting',
      message: 'The platform does not answer.',
      waitMs: 4000,
    });
  });

  it('reports only its last lines, truncated', () => {
    const many = Array.from({ length: logTailLines + 5 }, (_, index) => `${index} ${'x'.repeat(500)}`);
    const { tail } = run([play, hello('new'), lines(1, ...many), lines(1 + many.length, 'last')]).state;
    expect(tail).toHaveLength(logTailLines);
    expect(tail.at(-1)?.[2]).toBe('last');
    expect(Math.max(...tail.map(([, , value]) => value.length))).toBe(logTailChars);
  });

  it('does not resume before it has received a line', () => {
    const { effects } = run([play, hello('new', 77), lost, timer]);
    expect(effects.filter((effect) => effect.type === 'connect').at(-1)).toEqual({
      type: 'connect',
      hello: { batch: true },
    });
  });

  it('closes on unreadable frames instead of reconnecting forever', () => {
    expect(run([...streaming, { type: 'garbled' }]).state.phase).toBe('closed');
  });
});
