/**
 * Sessions of the app lock rows for a long time and in any order. No one waits for the sync, and
 * only the records that are locked wait.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ConflictPolicy } from '../../../record/merge.ts';
import { expectAtRest, insertRegion, regionFields, waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import type { TestRun } from '../../testing/restarting-run.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let run: TestRun;
let clerk: pg.Client;
let colleague: pg.Client;
/** The codes are unique. */
let nextCode = 1;

beforeAll(async () => {
  world = await createSyncWorld();
});
beforeEach(async () => {
  world.log.length = 0;
  [clerk, colleague] = [await connect('till 7'), await connect('till 8')];
});
afterEach(async () => {
  await Promise.all([clerk.end(), colleague.end(), run.stop()]);
});
afterAll(() => world.stop());

/** A session of the app. Its statements fail if they wait for another session for long. */
async function connect(applicationName: string): Promise<pg.Client> {
  const session = await world.helium.connect();
  await session.query(`set application_name = '${applicationName}'; set lock_timeout = '30s'`);
  return session;
}

/** Starts the engine with two regions on both sides. */
async function setUp(policy: ConflictPolicy = 'later'): Promise<[string, string]> {
  run = world.start((config) => ({ ...config, conflictPolicy: policy }));
  const [first, second] = [randomUUID(), randomUUID()].sort();
  for (const id of [first, second]) await insertRegion(world, 'before', newCode(), id);
  await world.waitUntilEqual();
  return [first ?? '', second ?? ''];
}

function newCode(): number {
  nextCode += 1;
  return nextCode;
}

const rename = (session: pg.Client, id: string, name: string) =>
  session.query('update region set name = $2, _tstamp_ = now() where _id_ = $1', [id, name]);

const deviceRename = (id: string, name: string) => ({ method: 'patch' as const, object: { type: 'region', id, name } });

const waitUntilWaiting = (...ids: string[]) =>
  waitUntil(async () => {
    const waiting = (await world.held()).filter(({ state }) => state === 'waiting').map(({ id }) => id);
    return ids.every((id) => waiting.includes(id));
  });

const nameInHelium = async (id: string) => (await world.heliumRows())[`region/${id}`]?.name;

test('syncs everything but a locked record, both ways, and lists that with its holder', async () => {
  const [free, locked] = await setUp();
  // A transaction that has written something holds the change log too.
  await clerk.query('begin');
  await clerk.query('select from region where _id_ = $1 for update', [locked]);
  const { rows } = await clerk.query<{ pid: number }>('select pg_backend_pid() as pid');
  const visit = randomUUID();
  await world.edit(
    deviceRename(free, 'by the device'),
    { method: 'patch', object: { type: 'region', id: locked, code: 1_000 } },
    { method: 'put', object: { type: 'visit', id: visit, note: 'behind it' } },
  );
  await waitUntil(async () => `visit/${visit}` in (await world.heliumRows()));
  expect(await nameInHelium(free)).toBe('by the device');
  const inHelium = await insertRegion(world, 'new in Helium');
  await waitUntil(async () => `region/${inHelium}` in (await world.journeyRows()));
  await waitUntilWaiting(locked);
  expect(await world.held()).toMatchObject([
    {
      table: 'region',
      id: locked,
      direction: 'journey-to-helium',
      kind: 'locked row',
      reason: expect.stringMatching(
        new RegExp(`^Its row in Helium is locked: held \\d+ s by pid ${rows[0]?.pid} \\(till 7, since 20.* UTC\\)\\.$`),
      ),
    },
  ]);
  await waitUntil(() => world.figures().waiting === 1);
  expect(world.figures().oldestWaiting).toEqual({
    direction: 'journey-to-helium',
    object: 'region',
    id: locked,
    reason: expect.stringMatching(/^Its row in Helium is locked: held \d+ s by pid \d+ \(till 7, since 20/),
    sinceMs: expect.any(Number),
  });
  // Edits in the meantime queue behind it.
  await world.edit({ method: 'patch', object: { type: 'region', id: locked, code: 1_001 } });
  // Others use the rows of the page.
  await rename(colleague, free, 'by a colleague');
  await colleague.query('insert into farmer (_id_, _tstamp_, region_fk) values ($1, now(), $2)', [randomUUID(), free]);
  await rename(clerk, locked, 'by the clerk');
  await clerk.query('commit');
  await expectAtRest(world, {
    [`region/${free}`]: expect.objectContaining({ name: 'by a colleague' }),
    [`region/${locked}`]: regionFields('by the clerk', 1_001),
  });
  expect(await world.held()).toEqual([]);
  await waitUntil(() => world.figures().waiting === 0);
  expect(world.figures().oldestWaiting).toBeNull();
  expect(world.log.filter((line) => line.startsWith('WARNING'))).toHaveLength(1);
  expect(await world.conflicts()).toEqual([]);
});

test('never aborts a transaction of the app that locks the rows of a page in another order', async () => {
  const [first, second] = await setUp();
  await clerk.query('begin');
  await rename(clerk, second, 'by the clerk');
  await world.edit(deviceRename(first, 'by the device'), deviceRename(second, 'by the device'));
  await waitUntilWaiting(second);
  await rename(clerk, first, 'by the clerk too');
  await clerk.query('commit');
  await world.waitUntilEqual();
  const { rows } = await world.sql('select deadlocks from pg_stat_database where datname = current_database()');
  expect(rows).toEqual([{ deadlocks: '0' }]);
  expect(await world.held()).toEqual([]);
});

test.each(['later', 'helium', 'journey'] as const)(
  'keeps both values when the app deletes and inserts a row again that a device edits, with the policy %s',
  async (policy) => {
    const [id] = await setUp(policy);
    const code = newCode();
    await clerk.query('begin');
    await clerk.query('delete from region where _id_ = $1', [id]);
    await clerk.query(`insert into region (_id_, _tstamp_, name, code) values ($1, now(), 'by the clerk', $2)`, [
      id,
      code,
    ]);
    await world.edit(deviceRename(id, 'by the device'));
    await waitUntilWaiting(id);
    await clerk.query('commit');
    await world.waitUntilEqual();
    const [conflict, ...others] = (await world.conflicts()).filter((one) => one.id === id);
    expect(conflict).toMatchObject({ column: 'name', helium: 'by the clerk', journey: 'by the device' });
    expect(others).toEqual([]);
    expect((await world.heliumRows())[`region/${id}`]).toEqual(
      regionFields(conflict?.winner === 'journey' ? 'by the device' : 'by the clerk', code),
    );
  },
);

test('merges a record that both sides create at once, while the row is not committed', async () => {
  await setUp('journey');
  const id = randomUUID();
  await clerk.query('begin');
  await clerk.query(`insert into region (_id_, _tstamp_, name) values ($1, now(), 'by the clerk')`, [id]);
  await world.edit({ method: 'put', object: { type: 'region', id, name: 'by the device' } });
  await waitUntilWaiting(id);
  await clerk.query('commit');
  await expectAtRest(world, { [`region/${id}`]: regionFields('by the device') });
  expect(await world.conflicts()).toContainEqual(
    expect.objectContaining({ id, column: 'name', helium: 'by the clerk', journey: 'by the device' }),
  );
});

test('holds a child while its parent may be deleted', async () => {
  const [parent] = await setUp();
  const child = randomUUID();
  await clerk.query('begin');
  await clerk.query('delete from region where _id_ = $1', [parent]);
  await world.edit({ method: 'put', object: { type: 'farmer', id: child, name: 'child', region_id: parent } });
  await waitUntilWaiting(child);
  expect((await world.held())[0]?.reason).toMatch(/^region\/.*, which it references, is locked: held \d+ s by pid/);
  await clerk.query('rollback');
  await expectAtRest(world, { [`farmer/${child}`]: expect.objectContaining({ region_fk: parent }) });
  expect(await world.held()).toEqual([]);
});

test("waits with the records whose write meets a lock in the app's trigger, and with no others", async () => {
  const [locked, free] = await setUp();
  await world.sql(`
    create function $s.count_farmers() returns trigger language plpgsql as
      $$ begin update region set name = 'counted' where _id_ = new.region_fk; return new; end $$;
    create trigger count_farmers after insert on $s.farmer for each row execute function $s.count_farmers()`);
  await clerk.query('begin');
  await rename(clerk, locked, 'by the clerk');
  const farmers = Array.from({ length: 20 }, (_, index) => ({ id: randomUUID(), region: index === 7 ? locked : free }));
  await world.edit(
    ...farmers.map(({ id, region }) => ({ method: 'put' as const, object: { type: 'farmer', id, region_id: region } })),
  );
  const held = farmers[7]?.id ?? '';
  await waitUntilWaiting(held);
  const reached = await world.heliumRows();
  expect(farmers.filter(({ id }) => !(`farmer/${id}` in reached)).map(({ id }) => id)).toEqual([held]);
  expect((await world.held())[0]?.reason).toContain('in relation "region"');
  await clerk.query('commit');
  await world.sql('drop trigger count_farmers on $s.farmer');
  await expectAtRest(world, { [`farmer/${held}`]: expect.objectContaining({ region_fk: locked }) });
});

test('never waits for the lock of a whole table, and continues when it ends', async () => {
  const [id] = await setUp();
  await clerk.query('begin; lock table region in exclusive mode');
  await world.edit(deviceRename(id, 'by the device'));
  const { rows } = await clerk.query<{ pid: number }>('select pg_backend_pid() as pid');
  await waitForLog(
    world,
    new RegExp(
      `^WARNING Journey → Helium: The table region is locked: held \\d+ s by pid ${rows[0]?.pid} \\(till 7, since`,
    ),
  );
  await clerk.query('commit');
  await expectAtRest(world, { [`region/${id}`]: expect.objectContaining({ name: 'by the device' }) });
});
