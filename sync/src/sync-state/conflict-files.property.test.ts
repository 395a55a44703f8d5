/**
 * Files of conflicts never take more room than there is, also when several transactions keep them
 * at once.
 */
import { inTransaction } from '@portal/kit/postgres/pool';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHeliumFixture, type HeliumFixture, schema } from '../helium/helium-gateway.fixture.ts';
import { keepFile, keepRowFiles } from './conflict-files.store.ts';
import { claimRun } from './runs.store.ts';
import { prepareState } from './schema.ts';

let fixture: HeliumFixture;
let stateId: number;

beforeAll(async () => {
  fixture = await createHeliumFixture({ tables: { visit: ['photo bytea', 'sketch bytea'] } });
  await prepareState(fixture.pool);
  ({ stateId } = await claimRun(fixture.pool, 'one', '1', { changeLog: '0', opLog: '0' }));
});
afterAll(() => fixture.drop());

async function readUsed(): Promise<number> {
  const { rows } = await fixture.pool.query(
    'select coalesce(sum(octet_length(bytes)), 0)::int as used from __portal_sync__.conflict_file where state_id = $1',
    [stateId],
  );
  return rows[0].used;
}

test('concurrent transactions never keep more bytes than allowed, and keep a file whole or not at all', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ size: fc.nat(400), commits: fc.boolean() }), { minLength: 2, maxLength: 6 }),
      fc.nat(1_000),
      async (files, maxBytes) => {
        await fixture.pool.query('delete from __portal_sync__.conflict_file');
        const limits = { maxBytes, maxFileBytes: 300, days: 1 };
        const attempts = files.map(({ size, commits }) =>
          inTransaction(fixture.pool, async (db) => {
            const blob = { bytes: Buffer.alloc(size), fileName: 'a.jpg', mediaType: 'image/jpeg' };
            const result = await keepFile(db, { stateId, limits }, { column: 'photo', side: 'journey' }, blob);
            if (!commits) throw new Error('rolled back');
            return 'problem' in result ? 0 : size;
          }).catch(() => 0),
        );
        const keptBytes = (await Promise.all(attempts)).reduce((sum, size) => sum + size, 0);
        const used = await readUsed();
        expect(used).toBe(keptBytes);
        expect(used).toBeLessThanOrEqual(maxBytes);
        for (const { size } of files) if (size > 300) expect(used).not.toBe(size);
      },
    ),
    { numRuns: 25 },
  );
});

test('keeps all files of a row or none, and none of a row that has none', async () => {
  await fixture.pool.query('delete from __portal_sync__.conflict_file');
  const { rows } = await fixture.pool.query(
    `insert into ${schema}.visit (_id_, _tstamp_, photo, sketch)
     values (gen_random_uuid(), now(), '\\x0102', '\\x030405'), (gen_random_uuid(), now(), null, null) returning _id_::text as id`,
  );
  const [full, empty] = rows.map(({ id }) => ({ table: 'visit', id }));
  if (!full || !empty) throw new Error('The rows were not inserted.');
  const at = (maxBytes: number) => ({
    stateId,
    schema,
    limits: { maxBytes, maxFileBytes: 100, days: 1 },
  });
  const keep = (maxBytes: number, key: typeof full) =>
    inTransaction(fixture.pool, (db) => keepRowFiles(db, at(maxBytes), key, null));
  expect(await keep(4, full)).toEqual({ problem: expect.stringContaining('There is no room') });
  expect(await readUsed()).toBe(0);
  expect(await keep(0, empty)).toEqual({ numbers: [] });
  expect(await keep(5, full)).toEqual({ numbers: [expect.any(String), expect.any(String)] });
  expect(await readUsed()).toBe(5);
});
