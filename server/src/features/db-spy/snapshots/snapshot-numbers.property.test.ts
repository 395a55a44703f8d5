import { counterNames } from '@portal/platforms/helium-database/statistics/statement-columns';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packNumbers, unpackNumbers } from './snapshot-numbers.ts';

const number = fc.option(fc.oneof(fc.nat(), fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })));

it('packed counters are unpacked unchanged', async () => {
  const statements = fc.uniqueArray(
    fc.record({
      id: fc.string({ maxLength: 30 }),
      known: fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat(), fc.nat()),
      others: fc.array(number, { minLength: 7, maxLength: 7 }),
    }),
    { selector: ({ id }) => id },
  );
  await fc.assert(
    fc.asyncProperty(statements, async (all) => {
      const rows = all.map(({ known, others }) => [...known, ...others]);
      const counters = counterNames.map((_, index) => rows.map((row) => row[index] ?? null));
      const back = await unpackNumbers(await packNumbers({ ids: all.map(({ id }) => id), counters }));
      const expected = all.map(({ id }, at) => [
        id,
        Object.fromEntries(counterNames.map((name, index) => [name, rows[at]?.[index]])),
      ]);
      expect([...back]).toEqual(expected);
    }),
  );
});

it('5,000 statements take well below a megabyte', async () => {
  const count = 5_000;
  const ids = Array.from({ length: count }, (_, at) => `16384.${(BigInt(at) * 7_919_777_777_777_777n) % (1n << 63n)}`);
  const counters = counterNames.map((_, column) => ids.map((_, at) => Math.sin(at + column) ** 2 * 1e6));
  expect((await packNumbers({ ids, counters })).length).toBeLessThan(700_000);
});
