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

test('never moves the timestamp of a row backwards, whether rows are inserted, updated or both', async () => {
  const write = fc.record({ isInsert: fc.boolean(), changedAtMs: fc.integer({ min: 0, max: 4_000_000_000_000 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 6 }), async (writes) => {
      const key = { table: 'thing', id: newId() };
      let latestMs = 0;
      for (const [index, { isInsert, changedAtMs }] of writes.entries()) {
        const fields = { name: `${index}` };
        await fixture.write([map], [{ key, fields, isInsert: isInsert || index === 0, changedAtMs }]);
        latestMs = Math.max(latestMs, changedAtMs);
        const rows = await fixture.gateway.readRows(fixture.pool, map, [key.id]);
        expect(rows).toMatchObject([{ fields, changedAtMs: latestMs }]);
      }
    }),
    { numRuns: 100 },
  );
});
