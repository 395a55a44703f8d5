import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RecordKey } from '../record/record-key.ts';
import {
  addIntents,
  hasUnanswered,
  lastAcknowledged,
  type NewIntent,
  removeIntents,
  settleIntents,
} from './intents.store.ts';
import { readRecords, saveRecords } from './records.store.ts';
import { claimRun, saveRun } from './runs.store.ts';
import { prepareState } from './schema.ts';

let database: TestDatabase;
let pool: Pool;
let stateId: number;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { applicationName: 'portal sync test' });
  await prepareState(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
let runs = 0;
beforeEach(async () => {
  runs += 1;
  stateId = (await claimRun(pool, `run ${runs}`, '1', { changeLog: '0', opLog: '0' })).stateId;
});

const key = (n: number, table = 'farm'): RecordKey => ({
  table,
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
});
const known = async (intents: RecordKey) => (await readRecords(pool, stateId, [intents])).get(intents);
const stages = async (intents: RecordKey) => (await known(intents)).intents.map(({ stage }) => stage);
const patch = async (intents: RecordKey, name: string): Promise<NewIntent> => ({
  key: intents,
  method: 'patch',
  fields: { name },
  row: null,
  before: (await known(intents)).intents,
});

/** Adds the intents of a call that is not answered yet. */
async function addOpenIntents(call: number, intents: readonly NewIntent[]): Promise<number[]> {
  const numbers = await addIntents(pool, stateId, call, intents);
  await saveRun(pool, stateId, { openedCall: call });
  return numbers;
}

describe('intents', () => {
  it('marks intents as unanswered while their call is open, and all as acknowledged once it is answered', async () => {
    const numbers = await addOpenIntents(1, [await patch(key(1), 'a'), await patch(key(2), 'b')]);
    expect([await stages(key(1)), await stages(key(2))]).toEqual([['sent'], ['sent']]);
    expect([await hasUnanswered(pool, stateId), await lastAcknowledged(pool, stateId)]).toEqual([true, 0]);
    await saveRun(pool, stateId, { answeredCall: 1 });
    expect([await stages(key(1)), await stages(key(2))]).toEqual([['acknowledged'], ['acknowledged']]);
    expect([await hasUnanswered(pool, stateId), await lastAcknowledged(pool, stateId)]).toEqual([false, numbers[1]]);
  });

  it('does not affect other calls when one is answered', async () => {
    await addOpenIntents(1, [await patch(key(1), 'a')]);
    await addOpenIntents(2, [await patch(key(2), 'b')]);
    await saveRun(pool, stateId, { answeredCall: 2 });
    expect([await stages(key(1)), await stages(key(2))]).toEqual([['sent'], ['acknowledged']]);
    expect(await hasUnanswered(pool, stateId)).toBe(true);
  });

  it('supersedes unanswered intents when the record is sent again, and keeps acknowledged ones', async () => {
    await addOpenIntents(1, [await patch(key(1), 'a')]);
    await saveRun(pool, stateId, { answeredCall: 1 });
    await addOpenIntents(2, [await patch(key(1), 'b')]);
    await addOpenIntents(3, [await patch(key(1), 'c'), await patch(key(2), 'd')]);
    expect(await stages(key(1))).toEqual(['acknowledged', 'superseded', 'sent']);
    // A response that arrives now is too late.
    await saveRun(pool, stateId, { answeredCall: 2 });
    expect(await stages(key(1))).toEqual(['acknowledged', 'superseded', 'sent']);
  });

  it('ignores superseded intents ten minutes after they were sent, settled or not', async () => {
    await addOpenIntents(1, [await patch(key(1), 'a')]);
    await addOpenIntents(2, [await patch(key(1), 'b')]);
    expect(await stages(key(1))).toEqual(['superseded', 'sent']);
    await pool.query(`update __portal_sync__.intent set sent_at = now() - interval '11 minutes' where state_id = $1`, [
      stateId,
    ]);
    expect(await stages(key(1))).toEqual(['sent']);
  });

  it('settles intents up to an id, marks their records as dirty, and drops calls without intents', async () => {
    const [first = 0] = await addOpenIntents(1, [await patch(key(1), 'a')]);
    await saveRun(pool, stateId, { answeredCall: 1 });
    await addOpenIntents(2, [await patch(key(2), 'b')]);
    const lost = await addOpenIntents(3, [await patch(key(3), 'c')]);
    await removeIntents(
      pool,
      stateId,
      lost.map((number) => ({ key: key(3), number })),
    );
    await settleIntents(pool, stateId, first);
    expect([await stages(key(1)), await stages(key(2)), await stages(key(3))]).toEqual([[], ['sent'], []]);
    const { rows } = await pool.query(
      `select open_calls as open, (select array_agg(id::text) from __portal_sync__.dirty where state_id = $1) as dirty
       from __portal_sync__.run where state_id = $1`,
      [stateId],
    );
    expect(rows).toEqual([{ open: ['2'], dirty: [key(1).id] }]);
  });
});

describe('records', () => {
  it('restores records as they were saved, with any characters in table names and values', async () => {
    const odd = key(1, 'of, "all" {tables}\\');
    const journey = { name: `"quoted", {braced} \\ 'single' null ☃`, age: 3, none: null, is: false };
    const edits = { name: { value: journey.name, txId: '', atMs: 8 } };
    const row = { tstampMs: 9, time: { txId: '10', atMs: 11 }, columns: { '{"odd"}': { txId: '', atMs: 12 } } };
    const deleted = { key: key(2), journey: null, deletedAtMs: 1_700_000_000_123 };
    await saveRecords(pool, stateId, [
      { key: odd, journey, deletedAtMs: null, listedAtMs: 5, missing: 'waits', tstampMs: 7.5, edits },
      deleted,
    ]);
    await addOpenIntents(1, [{ key: odd, method: 'put', fields: journey, row, before: [] }]);
    const records = await readRecords(pool, stateId, [key(3), key(2), odd]);
    expect(records.get(odd)).toMatchObject({
      journey,
      listedAtMs: 5,
      missing: 'waits',
      tstampMs: 7.5,
      edits,
      intents: [{ fields: journey, row }],
    });
    expect(records.get(key(2))).toMatchObject({
      journey: null,
      deletedAtMs: deleted.deletedAtMs,
      listedAtMs: null,
      edits: null,
    });
    expect(records.get(key(3))).toMatchObject({ journey: null, deletedAtMs: null, intents: [] });
  });
});
