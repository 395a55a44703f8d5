import { describe, expect, it } from 'vitest';
import type { ConnectionPhase } from './log-connection.ts';
import { describeLogState, type LogState, type LogStateInput } from './log-state.ts';

const phases: readonly ConnectionPhase[] = ['closed', 'opening', 'streaming', 'waiting'];
const platforms = ['connecting', 'reading', 'streaming', 'waiting'] as const;

/** The state of every pair of phase and platform state: at the first attempt and following. */
const stateByPair: Readonly<Record<ConnectionPhase, Readonly<Record<(typeof platforms)[number], LogState>>>> = {
  closed: { connecting: 'stopped', reading: 'stopped', streaming: 'stopped', waiting: 'stopped' },
  opening: { connecting: 'opening', reading: 'reading', streaming: 'opening', waiting: 'waiting' },
  streaming: { connecting: 'opening', reading: 'reading', streaming: 'following', waiting: 'waiting' },
  waiting: { connecting: 'interrupted', reading: 'interrupted', streaming: 'interrupted', waiting: 'interrupted' },
};

const input = (change: Partial<LogStateInput>): LogStateInput => ({
  phase: 'streaming',
  platform: 'streaming',
  attempt: 0,
  isFollowing: true,
  newRecords: 0,
  message: '',
  ...change,
});

const pairs = phases.flatMap((phase) => platforms.map((platform) => ({ phase, platform })));

describe('log state', () => {
  it.each(pairs)('is known for the phase $phase while the platform is $platform', ({ phase, platform }) => {
    expect(describeLogState(input({ phase, platform })).state).toBe(stateByPair[phase][platform]);
  });

  it.each(pairs)('is paused only where it would be followed: $phase, $platform', ({ phase, platform }) => {
    const expected = stateByPair[phase][platform];
    const { state } = describeLogState(input({ phase, platform, isFollowing: false }));
    expect(state).toBe(expected === 'following' ? 'paused' : expected);
  });

  it('is green only while new lines appear', () => {
    const inputs = pairs.flatMap((pair) =>
      [true, false].flatMap((isFollowing) => [0, 1].map((attempt) => input({ ...pair, isFollowing, attempt }))),
    );
    for (const each of inputs) {
      const { state, tone } = describeLogState(each);
      expect(tone === 'success').toBe(state === 'following');
    }
  });

  it.each([
    [input({ phase: 'closed' }), 0, 'Stopped', true, false],
    [input({ phase: 'opening', platform: 'connecting' }), 0, 'Opening', false, true],
    [input({ platform: 'reading' }), 0, 'Reading the last minutes', false, true],
    [input({}), 0, 'Following', false, true],
    [input({ isFollowing: false, newRecords: 1204 }), 0, 'Paused (1,204 new)', false, true],
    [input({ phase: 'waiting', attempt: 1 }), 2, 'Interrupted (retry in 2 s)', true, true],
    [input({ phase: 'opening', platform: 'connecting', attempt: 1 }), 0, 'Interrupted (retrying)', true, true],
    [input({ platform: 'waiting' }), 20, 'Waiting for the platform', false, true],
  ])('names the state and says what can be pressed: %#', (each, seconds, label, canPlay, canStop) => {
    expect(describeLogState(each, seconds)).toMatchObject({ label, canPlay, canStop });
  });

  it('allows nothing before the log exists', () => {
    expect(describeLogState(null)).toMatchObject({ state: 'stopped', canPlay: false, canStop: false });
  });

  it('announces the same text while it counts down and while new records arrive', () => {
    const waiting = input({ phase: 'waiting', attempt: 1, message: 'Socket closed.' });
    expect(describeLogState(waiting, 2).announcement).toBe('Interrupted. Socket closed.');
    expect(describeLogState(waiting, 1).announcement).toBe(describeLogState(waiting, 2).announcement);
    const paused = input({ isFollowing: false, newRecords: 1 });
    expect(describeLogState({ ...paused, newRecords: 2 }).announcement).toBe(describeLogState(paused).announcement);
  });
});
