import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { Conflict } from '@portal/kit/problems';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChangeLocks } from './change-locks.ts';

let database: TestDatabase;
let locks: ChangeLocks;

beforeAll(async () => {
  database = await createTestDatabase();
  // Long enough to open all eight connections on a busy machine.
  locks = new ChangeLocks(database.url, { connectionWaitMs: 2_000 });
});
afterAll(async () => {
  await locks.stop();
  await database.drop();
});

it('serializes changes to the same target and runs changes to different targets in parallel', async () => {
  const events: string[] = [];
  const gate = closedGate();
  const first = locks.run('one', async () => {
    events.push('first begins');
    await gate.opened;
    events.push('first ends');
  });
  await expect.poll(() => events).toContain('first begins');
  const second = locks.run('one', async () => events.push('second'));
  await locks.run('two', async () => events.push('other'));
  gate.open();
  await Promise.all([first, second]);
  expect(events).toEqual(['first begins', 'other', 'first ends', 'second']);
});

it('reports too many changes, not a database outage, when all its connections are in use', async () => {
  const gate = closedGate();
  let begun = 0;
  const busy = Array.from({ length: 8 }, (_, index) =>
    locks.run(`busy ${index}`, async () => {
      begun += 1;
      await gate.opened;
    }),
  );
  await expect.poll(() => begun, { timeout: 100_000 }).toBe(8);
  const ninth: unknown = await locks.run('ninth', async () => undefined).catch((error: unknown) => error);
  gate.open();
  await Promise.all(busy);
  expect(ninth).toBeInstanceOf(Conflict);
  expect(ninth).toMatchObject({ message: expect.stringContaining('Too many changes are in progress') });
  await expect(locks.run('ninth', async () => 'done')).resolves.toBe('done');
});

function closedGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
