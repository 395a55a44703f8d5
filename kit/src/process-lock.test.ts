import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { getProcessIdentity, isAlive } from './process-identity.ts';
import { acquireProcessLock } from './process-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'lock-'));
const path = join(folder, 'lock');
beforeEach(() => rmSync(path, { force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

const isAcquired = (lock: ReturnType<typeof acquireProcessLock>) => !('heldBy' in lock);

test('grants the lock to one holder at a time, until it is released', () => {
  const first = acquireProcessLock(path);
  expect(acquireProcessLock(path)).toEqual({ heldBy: getProcessIdentity(process.pid) });
  if (!('heldBy' in first)) first.release();
  expect(isAcquired(acquireProcessLock(path))).toBe(true);
  expect(readdirSync(folder)).toEqual(['lock']);
});

test('takes over the lock of a killed process, of a reused process id, and an unreadable lock', async () => {
  const owner = fork(join(import.meta.dirname, 'lock-holder.fixture.ts'), [path], { execArgv: ['--import', 'tsx'] });
  await once(owner, 'message');
  expect(acquireProcessLock(path)).toMatchObject({ heldBy: { pid: owner.pid } });
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  expect(isAcquired(acquireProcessLock(path))).toBe(true);

  writeFileSync(path, JSON.stringify({ pid: process.pid, began: 'long ago' }));
  expect(isAcquired(acquireProcessLock(path))).toBe(true);
  writeFileSync(path, '{"pid":');
  expect(isAcquired(acquireProcessLock(path))).toBe(true);
});

test('grants a stale lock to exactly one of several concurrent processes', async () => {
  writeFileSync(path, JSON.stringify({ pid: 1, began: 'long ago' }));
  const rivals = Array.from({ length: 6 }, () =>
    fork(join(import.meta.dirname, 'lock-holder.fixture.ts'), [path], { execArgv: ['--import', 'tsx'] }),
  );
  const results = await Promise.all(rivals.map(async (rival) => (await once(rival, 'message'))[0]));
  for (const rival of rivals) rival.kill('SIGKILL');
  expect(results.filter((result) => result === 'taken')).toHaveLength(1);
});

test('throws when the lock path is a folder, instead of waiting', () => {
  mkdirSync(path);
  try {
    expect(() => acquireProcessLock(path)).toThrow('EISDIR');
  } finally {
    rmSync(path, { recursive: true });
  }
});

test('reports a process that has ended as not alive', () => {
  expect(isAlive({ pid: process.pid, began: 'long ago' })).toBe(false);
  expect(getProcessIdentity(2 ** 22 + 1)).toBeUndefined();
});
