/** The rights that an integration needs are found before it runs, and are enough for it to run. */
import { randomUUID } from 'node:crypto';
import { Secret } from '@portal/kit/secret';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOperations } from '../../../operations/operations.ts';
import type { HeliumDatabases } from '../../../sync-state/helium-databases.ts';
import { quickRateLimiter } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, openDatabases, type SyncWorld } from '../../testing/sync-world.fixture.ts';

const user = 'sync user';
const password = 'secret';
let world: SyncWorld;
let databases: HeliumDatabases;

beforeEach(async () => {
  world = await createSyncWorld();
  await world.sql('drop schema __portal_sync__ cascade');
  await world.sql(`create role "${user}" login password '${password}'`);
  databases = openDatabases(Object.assign(new URL(world.helium.url), { username: user, password }).href);
});
afterEach(async () => {
  await world.stopRuns();
  await databases.stop();
  await world.sql(`reassign owned by "${user}" to current_user`);
  await world.sql(`drop owned by "${user}"`);
  await world.sql(`drop role "${user}"`);
  await world.stop();
});

const schema = 'shop__app_001';
const tables = `"${schema}"."farmer", "${schema}"."region", "${schema}"."visit"`;

test.each([
  [
    'in both directions',
    true,
    [
      `USAGE ON SCHEMA "${schema}"`,
      `SELECT, INSERT, DELETE ON "${schema}"."__he_sync_obj_change__"`,
      `SELECT, USAGE ON SEQUENCE "${schema}"."__he_sync_change_seq__"`,
      `SELECT ON "${schema}"."__he_sync_transaction_log__"`,
      `SELECT, INSERT, UPDATE, DELETE ON ${tables}`,
    ],
  ],
  [
    'from Helium to Journey only',
    false,
    [
      `USAGE ON SCHEMA "${schema}"`,
      `SELECT ON SEQUENCE "${schema}"."__he_sync_change_seq__"`,
      `SELECT ON "${schema}"."__he_sync_obj_change__", "${schema}"."__he_sync_transaction_log__", ${tables}`,
    ],
  ],
])('names each missing right with its statement, and with these it runs %s', async (_, isTwoWay, expected) => {
  const { integration, deployment } = world;
  const config = { ...integration.config, enableJourneyToHelium: isTwoWay };
  const target = { ...integration, config, journeyPassword: new Secret(deployment.password), isNew: true };
  const operations = createOperations(databases, quickRateLimiter());
  const { signal } = new AbortController();

  const { helium, problems } = await operations.testConnection(target, signal);
  expect(helium.reached).toBe(true);
  const statements = problems.map(({ reason }) => reason.split('Run there: ')[1] ?? '');
  const database = new URL(world.helium.url).pathname.slice(1);
  for (const what of [`CREATE ON DATABASE "${database}"`, ...expected])
    expect(statements).toContainEqual(expect.stringContaining(`GRANT ${what}`));
  expect(problems[0]).toEqual({
    field: 'helium.dbSchema',
    reason: `The portal's user in helium-app-1 needs more rights. Run there: GRANT CREATE ON DATABASE "${database}" TO "${user}";`,
  });

  for (const sql of statements) await world.sql(sql);
  expect((await operations.testConnection(target, signal)).problems).toEqual([]);
  const run = world.start(() => config, integration.configVersion, databases);
  await world.sql(`insert into $s.region (_id_, _tstamp_, name) values ($1, now(), 'North')`, [randomUUID()]);
  await world.waitUntilEqual();
  if (isTwoWay) {
    await world.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name: 'South' } });
    await world.waitUntilEqual();
  }
  await run.stop();
});
