import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHeliumFixture, type HeliumFixture, newId } from './helium-gateway.fixture.ts';

let fixture: HeliumFixture;

beforeAll(async () => {
  fixture = await createHeliumFixture({ tables: { thing: ['name text'] } });
});
afterAll(() => fixture.drop());

const map = {
  table: 'thing',
  model: 'thing',
  fields: [{ column: 'name', field: 'name', kind: 'text' as const }],
  toJourney: true,
  toHelium: true,
};

test('never moves the timestamp of a row backwards when it is updated', async () => {
  const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
  await fc.assert(
    fc.asyncProperty(fc.array(time, { minLength: 2, maxLength: 6 }), async (times) => {
      const key = { table: 'thing', id: newId() };
      let latestMs = 0;
      for (const [index, changedAtMs] of times.entries()) {
        const fields = { name: `${index}` };
        await fixture.write([map], [{ key, fields, isInsert: index === 0, changedAtMs }]);
        latestMs = Math.max(latestMs, changedAtMs);
        const rows = await fixture.gateway.readRows(fixture.pool, map, [key.id]);
        expect(rows).toMatchObject([{ fields, changedAtMs: latestMs }]);
      }
    }),
    { numRuns: 100 },
  );
});
