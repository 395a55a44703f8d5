import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLockRequest, settleLock } from './lock-requests.ts';

const flag = fc.constantFrom(true, false, null);

describe('lock requests', () => {
  it('makes both sides agree after a round, whatever their state before', () => {
    fc.assert(
      fc.property(flag, fc.boolean(), fc.boolean(), (helium, agreed, journey) => {
        const request = findLockRequest({ helium, agreed });
        const requested = request === null ? journey : request === 'lock';
        const settled = settleLock({ helium, agreed: request === null ? agreed : requested }, requested);
        expect(settled.show ?? helium).toBe(requested);
        expect(settled.agreed).toBe(requested);
      }),
    );
  });

  it('follows the side that changed last, change by change', () => {
    const change = fc.record({ side: fc.constantFrom('helium', 'journey'), to: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        let [helium, agreed, journey]: [boolean | null, boolean, boolean] = [null, false, false];
        for (const { side, to } of changes) {
          if (side === 'helium') helium = to;
          else journey = to;
          const request = findLockRequest({ helium, agreed });
          if (request !== null) journey = request === 'lock';
          const settled = settleLock({ helium, agreed: request === null ? agreed : journey }, journey);
          helium = settled.show ?? helium;
          agreed = settled.agreed;
          expect([helium, agreed, journey]).toEqual([to, to, to]);
        }
      }),
    );
  });

  it('never reverts a request that was not executed', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.boolean(), (agreed, journey) => {
        const state = { helium: !agreed, agreed };
        const settled = settleLock(state, journey);
        expect(settled.show).toBeNull();
        expect(settled.agreed).toBe(journey === state.helium ? journey : agreed);
      }),
    );
  });
});
