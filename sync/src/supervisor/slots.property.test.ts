import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Slots } from './slots.ts';

it('never exceeds the number of slots, runs all work once, and in order per integration', async () => {
  const wish = fc.record({ integrationId: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean(), turns: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(wish, { maxLength: 40 }), async (count, wishes) => {
      const slots = new Slots(count);
      const begun: { integrationId: string; index: number }[] = [];
      let working = 0;
      const outcomes = await Promise.allSettled(
        wishes.map(({ integrationId, fails, turns }, index) =>
          slots.run(integrationId, async () => {
            begun.push({ integrationId, index });
            working += 1;
            expect(working).toBeLessThanOrEqual(count);
            for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
            working -= 1;
            if (fails) throw new Error('it failed');
            return index;
          }),
        ),
      );
      expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(wishes.map(({ fails }) => fails));
      for (const integrationId of ['a', 'b', 'c']) {
        const own = begun.filter((one) => one.integrationId === integrationId).map(({ index }) => index);
        expect(own).toEqual(wishes.flatMap((one, index) => (one.integrationId === integrationId ? [index] : [])));
      }
    }),
  );
});

it('lets the integrations take turns, however much work one of them has', async () => {
  const slots = new Slots(1);
  const begun: string[] = [];
  const wishes = [...Array.from({ length: 50 }, () => 'busy'), 'quiet', 'calm'];
  await Promise.all(
    wishes.map((integrationId) =>
      slots.run(integrationId, async () => {
        begun.push(integrationId);
      }),
    ),
  );
  expect(begun.slice(0, 4).sort()).toEqual(['busy', 'busy', 'calm', 'quiet']);
});
