import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLockRequest, type LockStage, type LockState, settleLock } from './lock-requests.ts';

const flag = fc.constantFrom(true, false, null);
const anyStage = fc.constantFrom<LockStage>('unlocked', 'requested', 'locked', 'unlocking');

/** Executes all requests of this state. Returns them with the final stage. */
function executeAll({ helium, stage }: LockState): { readonly calls: readonly string[]; readonly stage: LockStage } {
  const calls: string[] = [];
  let reached = stage;
  for (;;) {
    const request = findLockRequest({ helium, stage: reached });
    if (request === null) return { calls, stage: reached };
    calls.push(request);
    reached = request === 'lock' ? 'locked' : 'unlocked';
  }
}

/** What is stored when the flag is seen. */
const seeFlag = ({ helium, stage }: LockState): LockStage =>
  helium === true && stage !== 'locked' ? 'requested' : stage;

describe('lock requests', () => {
  it('makes both sides agree after a round, whatever their state before', () => {
    fc.assert(
      fc.property(flag, anyStage, fc.boolean(), (helium, before, journey) => {
        const { calls, stage } = executeAll({ helium, stage: before });
        const now = calls.length === 0 ? journey : calls.at(-1) === 'lock';
        const settled = settleLock({ helium, stage }, now);
        expect(settled.show ?? helium).toBe(now);
        expect(settled.stage).toBe(now ? 'locked' : 'unlocked');
      }),
    );
  });

  it('follows the side that changed last, change by change', () => {
    const change = fc.record({ side: fc.constantFrom('helium', 'journey'), to: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        let journey = false;
        let state: LockState = { helium: null, stage: 'unlocked' };
        for (const { side, to } of changes) {
          if (side === 'helium') state = { ...state, helium: to };
          else journey = to;
          const { calls, stage } = executeAll(state);
          if (calls.length > 0) journey = calls.at(-1) === 'lock';
          const settled = settleLock({ ...state, stage }, journey);
          state = { helium: settled.show ?? state.helium, stage: settled.stage };
          expect([state.helium, state.stage === 'locked', journey]).toEqual([to, to, to]);
        }
      }),
    );
  });

  it('locks a user whose flag was seen set, and then follows the flag, however long Journey fails', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1 }), (flips) => {
        let state: LockState = { helium: false, stage: 'unlocked' };
        for (const helium of flips) {
          const stage = seeFlag({ helium, stage: state.stage });
          state = { helium, stage: settleLock({ helium, stage }, false).stage };
        }
        const lock = flips.includes(true) ? ['lock'] : [];
        const unlock = flips.includes(true) && !flips.at(-1) ? ['unlock'] : [];
        expect(executeAll(state).calls).toEqual([...lock, ...unlock]);
      }),
    );
  });

  it('ends with the flag as an operator set it last, after any number of lost responses', () => {
    const attempt = fc.record({
      do: fc.constant('attempt' as const),
      outcome: fc.constantFrom('done', 'lost', 'failed'),
    });
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), to: fc.boolean() }),
      fc.record({ do: fc.constant('list' as const) }),
      attempt,
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let state: LockState = { helium: false, stage: 'unlocked' };
        let [last, journey] = [false, false];
        const call = (outcome: string) => {
          state = { ...state, stage: seeFlag(state) };
          const request = findLockRequest(state);
          if (request === null) return;
          // Saved before the call.
          if (state.stage === 'locked') state = { ...state, stage: 'unlocking' };
          if (outcome !== 'failed') journey = request === 'lock';
          if (outcome === 'done') state = { ...state, stage: journey ? 'locked' : 'unlocked' };
        };
        const list = () => {
          const { show, stage } = settleLock(state, journey);
          state = { helium: show ?? state.helium, stage };
        };
        for (const one of steps) {
          if (one.do === 'set') {
            last = one.to;
            state = { ...state, helium: last };
          } else if (one.do === 'attempt') call(one.outcome);
          else list();
          expect(state.helium).toBe(last);
        }
        for (let round = 0; round < 3; round += 1) {
          call('done');
          list();
        }
        expect([state.helium, journey]).toEqual([last, last]);
      }),
    );
  });

  it('never reverts a request that was not executed', () => {
    fc.assert(
      fc.property(flag, anyStage, fc.boolean(), (helium, stage, journey) => {
        fc.pre(findLockRequest({ helium, stage }) !== null);
        const settled = settleLock({ helium, stage }, journey);
        expect(settled.show).toBeNull();
        const isDone = helium === journey && helium === (findLockRequest({ helium, stage }) === 'lock');
        expect(settled.stage).toBe(isDone ? (journey ? 'locked' : 'unlocked') : stage);
      }),
    );
  });
});
