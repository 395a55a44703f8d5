import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Slots } from './slots.ts';

it('never exceeds the number of slots, runs all work once, and in order per integration', async () => {
  const job = fc.record({ integrationId: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean(), turns: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(job, { maxLength: 40 }), async (count, jobs) => {
      const slots = new Slots(count);
      const started: { integrationId: string; index: number }[] = [];
      let working = 0;
      const outcomes = await Promise.allSettled(
        jobs.map(({ integrationId, fails, turns }, index) =>
          slots.run(integrationId, async () => {
            started.push({ integrationId, index });
            working += 1;
            expect(working).toBeLessThanOrEqual(count);
            for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
            working -= 1;
            if (fails) throw new Error('it failed');
            return index;
          }),
        ),
      );
      expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(jobs.map(({ fails }) => fails));
      for (const integrationId of ['a', 'b', 'c']) {
        const startedJobs = started.filter((one) => one.integrationId === integrationId).map(({ index }) => index);
        expect(startedJobs).toEqual(jobs.flatMap((one, index) => (one.integrationId === integrationId ? [index] : [])));
      }
    }),
  );
});

it('lets the integrations take turns, however much work one of them has', async () => {
  const slots = new Slots(1);
  const started: string[] = [];
  const jobs = [...Array.from({ length: 50 }, () => 'busy'), 'quiet', 'calm'];
  await Promise.all(
    jobs.map((integrationId) =>
      slots.run(integrationId, async () => {
        started.push(integrationId);
      }),
    ),
  );
  expect(started.slice(0, 4).sort()).toEqual(['busy', 'busy', 'calm', 'quiet']);
});
