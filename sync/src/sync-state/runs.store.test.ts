import { expect, it } from 'vitest';
import { LeaseLostError } from '../integration/lease-lost-error.ts';
import type { Mapping, ObjectMap } from '../mapping/object-map.ts';
import { clearComparisonRequest, readComparisonRequest } from './comparisons.store.ts';
import { requestComparison, saveCursor } from './operations.store.ts';
import { claimRun, endPredecessors, lockRun, saveMapping, saveRun } from './runs.store.ts';
import { beginning, createStateDatabase, pool } from './state-database.fixture.ts';

createStateDatabase();

const createMapping = (fingerprint: string): Mapping => ({ objects: [], notes: [], fingerprint });

it("keeps an older engine from overwriting a newer one's mapping and from seeing its comparison request", async () => {
  const { stateId } = await claimRun(pool, 'app', '1', beginning);
  await saveMapping(pool, stateId, '1', createMapping('older'), 1);
  await claimRun(pool, 'app', '2', beginning);
  await saveMapping(pool, stateId, '2', createMapping('newer'), 2);
  await requestComparison(pool, stateId);

  await expect(saveMapping(pool, stateId, '1', createMapping('stale'), 1)).rejects.toBeInstanceOf(LeaseLostError);
  expect(await readComparisonRequest(pool, stateId, '1')).toBeNull();
  const { mapping, configVersion } = await claimRun(pool, 'app', '2', beginning);
  expect([mapping?.fingerprint, configVersion]).toEqual(['newer', 2]);
  const request = (await readComparisonRequest(pool, stateId, '2')) ?? '';
  await requestComparison(pool, stateId);
  await clearComparisonRequest(pool, stateId, '2', request);
  const newer = (await readComparisonRequest(pool, stateId, '2')) ?? '';
  expect(newer > request).toBe(true);
  await clearComparisonRequest(pool, stateId, '1', newer);
  expect(await readComparisonRequest(pool, stateId, '2')).toBe(newer);
  await clearComparisonRequest(pool, stateId, '2', newer);
  expect(await readComparisonRequest(pool, stateId, '2')).toBeNull();
});

it('ends the open transactions of earlier runs of one integration, and no others', async () => {
  const begin = async (stateKey: string, fence: string) => {
    const { stateId } = await claimRun(pool, stateKey, fence, beginning);
    const client = await pool.connect();
    await client.query('begin');
    await lockRun(client, stateId, fence);
    return client;
  };
  const [frozen, other] = [await begin('frozen', '1'), await begin('other', '1')];
  const newer = await pool.connect();
  await newer.query(
    `select set_config('application_name', 'portal-sync ' || state_id || '/3', false)
     from __portal_sync__.run where state_key = 'frozen'`,
  );
  await endPredecessors({ pool, reading: pool }, 'frozen', '2');
  const ended = await Promise.allSettled([frozen, other, newer].map((client) => client.query('select')));
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  for (const client of [frozen, other, newer]) client.release(true);
  // The row is free.
  await claimRun(pool, 'frozen', '2', beginning);
});

const createObject = (table: string, toHelium = true): ObjectMap => ({
  table,
  model: table,
  fields: [],
  toJourney: true,
  toHelium,
});

it('keeps tables complete while their changes in Journey are read', async () => {
  const { stateId } = await claimRun(pool, 'complete', '1', beginning);
  const tables = ['region', 'farmer', 'visit', 'crop'];
  for (const completeTable of [...tables, 'region']) await saveRun(pool, stateId, { completeTable });
  const readTables = async () => (await claimRun(pool, 'complete', '1', beginning)).completeTables;
  expect(await readTables()).toEqual(['farmer', 'visit', 'crop', 'region']);

  const objects = [createObject('region'), createObject('farmer', false), createObject('visit')];
  const mapping = { ...createMapping('next'), objects, suspendedTables: ['visit'] };
  await saveMapping(pool, stateId, '1', mapping, 1);
  expect(await readTables()).toEqual(['region']);

  await saveCursor(pool, stateId, { fence: '1', direction: 'helium-to-journey', version: '7' });
  expect(await readTables()).toEqual(['region']);
  // The operator may pass over entries.
  await saveCursor(pool, stateId, { fence: '1', direction: 'journey-to-helium', version: '7' });
  expect(await readTables()).toEqual([]);
});
