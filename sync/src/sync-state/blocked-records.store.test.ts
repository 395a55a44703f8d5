import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { keyText } from '../record/record-key.ts';
import { moveBlocked, readBlocked } from './blocked-records.store.ts';
import { holdRecords } from './held-records.store.ts';
import { claimRun } from './runs.store.ts';
import { beginning, createStateDatabase, pool } from './state-database.fixture.ts';

createStateDatabase();

const newKey = () => ({ table: 'region', id: randomUUID() });

test('has records wait for the row to which the value has moved, without a try', async () => {
  const { stateId } = await claimRun(pool, 'one', '1', beginning);
  const [one, other, from, row] = [newKey(), newKey(), newKey(), newKey()];
  const hold = (key: ReturnType<typeof newKey>, missing: readonly string[]) => ({
    key,
    state: 'waiting' as const,
    kind: '23505',
    reason: 'It waits for a value.',
    retryMs: 600_000,
    missing,
    helium: null,
    journey: null,
  });
  const holds = [hold(one, [keyText(from)]), hold(other, [keyText(one)])];
  await holdRecords(pool, stateId, 'journey-to-helium', holds);
  await moveBlocked(pool, stateId, { from, row });
  const { blockedBy } = await readBlocked(pool, stateId);
  expect(Object.fromEntries(blockedBy)).toEqual({
    [keyText(one)]: new Set([keyText(row)]),
    [keyText(other)]: new Set([keyText(one)]),
  });
});
