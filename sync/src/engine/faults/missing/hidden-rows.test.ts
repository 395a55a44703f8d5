/** Policies of a table hide rows from the sync: what it does not see is not deleted. */
import { randomUUID } from 'node:crypto';
import { Secret } from '@portal/kit/secret';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOperations } from '../../../operations/operations.ts';
import type { HeliumDatabases } from '../../../sync-state/helium-databases.ts';
import { insertRegion, waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { runWithRestarts } from '../../testing/restarting-run.fixture.ts';
import { quickRateLimiter } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, openDatabases, type SyncWorld } from '../../testing/sync-world.fixture.ts';

const user = 'policed sync';
const password = 'secret';
const reason =
  "Policies may hide rows of it from the portal's user, which would look deleted. Give the table to the role that owns the schema, whose members see all rows, or drop the policies.";
let world: SyncWorld;
let databases: HeliumDatabases;

beforeEach(async () => {
  world = await createSyncWorld();
  await world.sql('drop schema __portal_sync__ cascade');
  const database = new URL(world.helium.url).pathname.slice(1);
  await world.sql(`create role "${user}" login password '${password}'; grant create on database "${database}" to "${user}";
    grant usage on schema $s to "${user}"; grant all on all tables in schema $s to "${user}";
    grant all on all sequences in schema $s to "${user}"`);
  databases = openDatabases(Object.assign(new URL(world.helium.url), { username: user, password }).href);
});
afterEach(async () => {
  await world.stopRuns();
  await databases.stop();
  await world.sql(`reassign owned by "${user}" to current_user; drop owned by "${user}"; drop role "${user}"`);
  await world.stop();
});

const start = () => runWithRestarts(() => world.start(undefined, undefined, databases));
const hide = () =>
  world.sql(
    `create policy seen on $s.region using (name <> 'hidden'); alter table $s.region enable row level security`,
  );
const insertHidden = async (): Promise<string> => {
  return `region/${await insertRegion(world, 'hidden')}`;
};

test('refuses a table whose policies hide rows from the login, before anything is compared', async () => {
  await insertHidden();
  await hide();
  const { integration, deployment } = world;
  const target = { ...integration, journeyPassword: new Secret(deployment.password), isNew: true };
  const operations = createOperations(databases, quickRateLimiter());
  const { problems } = await operations.testConnection(target, new AbortController().signal);
  expect(problems).toEqual([{ field: 'helium.dbSchema', reason: `region: ${reason}` }]);

  await world.sql(`alter role "${user}" bypassrls`);
  await databases.stop();
  databases = openDatabases(Object.assign(new URL(world.helium.url), { username: user, password }).href);
  const exempt = await createOperations(databases, quickRateLimiter()).testConnection(
    target,
    new AbortController().signal,
  );
  expect(exempt.problems).toEqual([]);
});

test.each([
  ['hidden row changes', (id: string) => world.sql('update $s.region set code = 7 where _id_ = $1', [id])],
  ['visible row changes', () => world.sql(`update $s.region set code = 8 where name = 'seen'`)],
  ['comparison is requested', () => world.sql('update __portal_sync__.run set comparison_requested_at = now()')],
])('pauses a table whose policies come to hide rows, and deletes none of them in Journey when a %s', async (_, act) => {
  const run = start();
  await insertRegion(world, 'seen');
  const hidden = await insertHidden();
  await world.waitUntilEqual();
  await hide();
  await act(hidden.slice('region/'.length));
  run.wake();
  await waitForLog(world, /region is paused until its integration is saved/);
  expect(world.log.some((line) => line.includes(reason))).toBe(true);
  const farmer = randomUUID();
  await world.sql(`insert into $s.farmer (_id_, _tstamp_, name) values ($1, now(), 'others flow')`, [farmer]);
  await waitUntil(async () => `farmer/${farmer}` in (await world.journeyRows()));
  expect(await world.journeyRows()).toHaveProperty([hidden]);

  await world.sql('alter table $s.region disable row level security');
  await world.waitUntilEqual();
  expect(await world.journeyRows()).toHaveProperty([hidden]);
  expect(await world.conflicts()).toEqual([]);
  await run.stop();
});
