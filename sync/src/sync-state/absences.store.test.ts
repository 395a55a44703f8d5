import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHeliumFixture, type HeliumFixture, schema } from '../helium/helium-gateway.fixture.ts';
import {
  type AbsenceScope,
  addAbsences,
  clearAbsences,
  countAbsences,
  decideAbsences,
  listAbsences,
  readDecidedAbsences,
  removeExplainedAbsences,
  saveClearedReferences,
} from './absences.store.ts';
import { holdRecords } from './held-records.store.ts';
import { addIntents } from './intents.store.ts';
import { readRecords, saveRecords } from './records.store.ts';
import { claimRun } from './runs.store.ts';
import { prepareState } from './schema.ts';

let helium: HeliumFixture;
let stateId: number;

beforeAll(async () => {
  helium = await createHeliumFixture({ tables: { region: ['name text', 'parent_fk uuid'] } });
  await prepareState(helium.pool);
  ({ stateId } = await claimRun(helium.pool, 'a', '1', { changeLog: '0', opLog: '0' }));
});
afterAll(() => helium.drop());

async function knownRecords(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID()).sort();
  const changes = ids.map((id) => ({ key: { table: 'region', id }, journey: { name: 'known' }, deletedAtMs: null }));
  await saveRecords(helium.pool, stateId, changes);
  return ids;
}

const first = { afterId: null, limit: 100 };

test('removes absences that are explained: a row again, a deletion that a log named, a record that waits for Helium', async () => {
  const { pool } = helium;
  const scope: AbsenceScope = { stateId, side: 'helium', table: 'region' };
  const [absent = '', present = '', deleted = '', leaving = '', parked = ''] = await knownRecords(6);
  await pool.query(`insert into ${schema}.region (_id_, _tstamp_) values ($1, now())`, [present]);
  const key = (id: string) => ({ table: 'region', id });
  await saveRecords(pool, stateId, [{ key: key(deleted), journey: null, deletedAtMs: 1 }]);
  await addIntents(pool, stateId, 1, [{ key: key(leaving), method: 'delete', fields: {}, before: [], row: null }]);
  const hold = { state: 'parked', kind: 'missing parent', reason: 'It waits.', helium: null, journey: {} } as const;
  await holdRecords(pool, stateId, 'journey-to-helium', [{ key: key(parked), ...hold }]);
  await addAbsences(pool, scope, [absent, present, deleted, leaving, parked]);
  await addAbsences(pool, scope, [absent]);
  await removeExplainedAbsences(pool, scope, schema);
  expect(await listAbsences(pool, scope, first)).toEqual([absent]);
  // Absent, present and the sixth.
  expect(await countAbsences(pool, scope)).toEqual({ known: 3, absent: 1 });
  await clearAbsences(pool, scope);
  expect(await countAbsences(pool, scope)).toEqual({ known: 0, absent: 0 });
});

test('keeps decisions when a table is read again, and returns them table by table', async () => {
  const { pool } = helium;
  const [a, b] = [randomUUID(), randomUUID()].sort();
  const region: AbsenceScope = { stateId, side: 'journey', table: 'region' };
  const farmer: AbsenceScope = { stateId, side: 'journey', table: 'farmer' };
  await addAbsences(pool, region, [String(a)]);
  await decideAbsences(pool, region, 'delete');
  await addAbsences(pool, region, [String(a), String(b)]);
  await addAbsences(pool, farmer, [String(a)]);
  expect(await listAbsences(pool, region, first)).toEqual([b]);
  await decideAbsences(pool, farmer, 'keep');
  await clearAbsences(pool, region);
  expect(await readDecidedAbsences(pool, stateId, 10)).toEqual([{ key: { table: 'farmer', id: a }, decision: 'keep' }]);
});

test('accepts references that were cleared with their row, and removes only writes that carry nothing else', async () => {
  const { pool } = helium;
  const [there, gone] = [randomUUID(), randomUUID()];
  const [cleared, edited, moved] = [randomUUID(), randomUUID(), randomUUID()];
  const ids = [cleared, edited, moved];
  const key = (id: string) => ({ table: 'region', id });
  const before = (id: string) => ({ name: 'known', parent_fk: id === moved ? there : gone });
  const changes = ids.map((id) => ({ key: key(id), journey: before(id), deletedAtMs: null }));
  await pool.query(`insert into ${schema}.region (_id_, _tstamp_) select unnest($1::uuid[]), now()`, [[there, ...ids]]);
  await saveRecords(pool, stateId, changes);
  const patch = { method: 'patch', before: [], row: null } as const;
  await addIntents(pool, stateId, 2, [
    { ...patch, key: key(cleared), fields: { parent_fk: null } },
    { ...patch, key: key(edited), fields: { parent_fk: null, name: null } },
    { ...patch, key: key(moved), fields: { parent_fk: null } },
  ]);
  const references = [{ column: 'parent_fk', parent: 'region' }];
  await saveClearedReferences(pool, { stateId, table: 'region', ids }, schema, references);
  const records = await readRecords(pool, stateId, ids.map(key));
  const find = (id: string) => {
    const { journey, intents } = records.get(key(id));
    return [journey?.parent_fk, intents.length];
  };
  expect(find(cleared)).toEqual([null, 0]);
  expect(find(edited)).toEqual([null, 1]);
  expect(find(moved)).toEqual([there, 1]);
});

// Takes a second; with a join, it would exceed the time limit of a test by far.
test('resolves 20,000 absences before the table has statistics', async () => {
  const { pool } = helium;
  const scope: AbsenceScope = { stateId, side: 'journey', table: 'region' };
  await pool.query('delete from __portal_sync__.record');
  await addAbsences(pool, scope, await knownRecords(20_000));
  await removeExplainedAbsences(pool, scope, schema);
  expect(await countAbsences(pool, scope)).toEqual({ known: 20_000, absent: 20_000 });
});
