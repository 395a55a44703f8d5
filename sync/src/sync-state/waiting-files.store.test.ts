import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { WaitingFile } from '../record/waiting-file.ts';
import { claimRun } from './runs.store.ts';
import { beginning, createStateDatabase, pool } from './state-database.fixture.ts';
import { readNextFileMs, removeWaitingFiles, saveWaitingFiles } from './waiting-files.store.ts';

createStateDatabase();

const tables = ['visit'];
const hourMs = 3_600_000;

function fileDueAt(retryAtMs: number) {
  const file: WaitingFile = {
    state: 'announced',
    journeyId: randomUUID(),
    url: null,
    changedAtMs: 1,
    attempts: 1,
    retryAtMs,
    reason: 'It is late.',
    value: null,
  };
  return { key: { table: 'visit', id: randomUUID() }, column: 'photo', file };
}

test('knows of no next attempt when no file waits, and otherwise how soon it is, which is at once for one that is overdue', async () => {
  const { stateId } = await claimRun(pool, 'a', '1', beginning);
  expect(await readNextFileMs(pool, stateId, tables)).toBeNull();

  const later = fileDueAt(Date.now() + hourMs);
  await saveWaitingFiles(pool, stateId, [later]);
  const nextMs = await readNextFileMs(pool, stateId, tables);
  expect(nextMs).toBeGreaterThan(hourMs / 2);
  expect(nextMs).toBeLessThanOrEqual(hourMs);

  const overdue = fileDueAt(Date.now() - hourMs);
  await saveWaitingFiles(pool, stateId, [overdue]);
  expect(await readNextFileMs(pool, stateId, tables)).toBe(0);

  await removeWaitingFiles(pool, stateId, [later, overdue]);
  expect(await readNextFileMs(pool, stateId, tables)).toBeNull();
});
