import { beforeEach, describe, expect, it } from 'vitest';
import type { RecordKey } from '../record/record-key.ts';
import {
  addIntents,
  closeCalls,
  lastAcknowledged,
  type NewIntent,
  readUnconfirmed,
  removeIntents,
  removeSuperseded,
  supersede,
} from './intents.store.ts';
import { readRecords, readWaiting, retryWaiting, saveRecords } from './records.store.ts';
import { claimRun, saveRun } from './runs.store.ts';
import { createStateDatabase, pool } from './state-database.fixture.ts';

let stateId: number;

createStateDatabase();
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
    expect(await lastAcknowledged(pool, stateId)).toBe(0);
    await saveRun(pool, stateId, { answeredCall: 1 });
    expect([await stages(key(1)), await stages(key(2))]).toEqual([['acknowledged'], ['acknowledged']]);
    expect(await lastAcknowledged(pool, stateId)).toBe(numbers[1]);
  });

  it('does not affect other calls when one is answered', async () => {
    await addOpenIntents(1, [await patch(key(1), 'a')]);
    await addOpenIntents(2, [await patch(key(2), 'b')]);
    await saveRun(pool, stateId, { answeredCall: 2 });
    expect([await stages(key(1)), await stages(key(2))]).toEqual([['sent'], ['acknowledged']]);
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

  it('keeps superseded intents with their age, and removes them by age only', async () => {
    await addOpenIntents(1, [await patch(key(1), 'a')]);
    await addOpenIntents(2, [await patch(key(1), 'b')]);
    await pool.query(`update __portal_sync__.intent set sent_at = now() - interval '11 minutes' where state_id = $1`, [
      stateId,
    ]);
    expect(await stages(key(1))).toEqual(['superseded', 'sent']);
    const [superseded, sent] = (await known(key(1))).intents;
    expect(superseded?.ageMs).toBeGreaterThanOrEqual(660_000);
    expect(sent).not.toHaveProperty('ageMs');
    await removeSuperseded(pool, stateId, 3_600_000);
    expect(await stages(key(1))).toEqual(['superseded', 'sent']);
    await removeSuperseded(pool, stateId, 600_000);
    expect(await stages(key(1))).toEqual(['sent']);
  });

  it('keeps one of the superseded intents with the same content that were sent long ago', async () => {
    for (const [call, name] of ['a', 'b', 'a', 'a', 'c'].entries())
      await addOpenIntents(call + 1, [await patch(key(1), name)]);
    await pool.query(`update __portal_sync__.intent set sent_at = now() - interval '11 minutes' where state_id = $1`, [
      stateId,
    ]);
    await addOpenIntents(6, [await patch(key(1), 'd')]);
    const { intents } = await known(key(1));
    expect(intents.map(({ fields }) => fields.name)).toEqual(['b', 'a', 'c', 'd']);
  });

  it('lists records with acknowledged intents up to an id, oldest first', async () => {
    await addOpenIntents(1, [await patch(key(2), 'a'), await patch(key(1), 'b'), await patch(key(2), 'c')]);
    const [last = 0] = await addOpenIntents(2, [await patch(key(3), 'd')]);
    await addOpenIntents(3, [await patch(key(4), 'unanswered')]);
    await saveRun(pool, stateId, { answeredCall: 1 });
    await saveRun(pool, stateId, { answeredCall: 2 });
    expect(await readUnconfirmed(pool, stateId, last + 1, 10)).toEqual([key(2), key(1), key(3)]);
    expect(await readUnconfirmed(pool, stateId, last - 1, 1)).toEqual([key(2)]);
  });

  it('lets acknowledged intents only explain an echo once they are superseded', async () => {
    const [number = 0] = await addOpenIntents(1, [await patch(key(1), 'a')]);
    await saveRun(pool, stateId, { answeredCall: 1 });
    await supersede(pool, stateId, [{ key: key(1), number }]);
    expect(await stages(key(1))).toEqual(['superseded']);
  });

  it('closes calls whose intents are removed or superseded', async () => {
    await addOpenIntents(2, [await patch(key(2), 'b')]);
    const lost = await addOpenIntents(3, [await patch(key(3), 'c')]);
    await removeIntents(
      pool,
      stateId,
      lost.map((number) => ({ key: key(3), number })),
    );
    await closeCalls(pool, stateId);
    const { rows } = await pool.query(`select open_calls as open from __portal_sync__.run where state_id = $1`, [
      stateId,
    ]);
    expect(rows).toEqual([{ open: ['2'] }]);
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

  it('sends records again that were missing in Journey and wait', async () => {
    const record = { journey: { name: 'a' }, deletedAtMs: null };
    await saveRecords(pool, stateId, [
      { ...record, key: key(1), missing: 'waits' },
      { ...record, key: key(2), missing: 'again' },
      { ...record, key: key(3) },
      { ...record, key: key(4), missing: 'waits' },
    ]);
    expect(await readWaiting(pool, stateId, 10)).toEqual([key(1), key(4)]);
    await retryWaiting(pool, stateId, [key(1), key(2), key(3)]);
    expect(await readWaiting(pool, stateId, 10)).toEqual([key(4)]);
    expect((await known(key(1))).missing).toBe('again');
    const { rows } = await pool.query(`select id::text from __portal_sync__.dirty where state_id = $1`, [stateId]);
    expect(rows).toEqual([{ id: key(1).id }]);
  });
});
