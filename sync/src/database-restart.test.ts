/** The portal's own PostgreSQL stops under two sync services, and comes back. */
import { listIntegrations, setEnabled } from '@portal/contract/sync/integration';
import { syncSocketReplySchema } from '@portal/contract/sync/socket';
import { migrate } from '@portal/kit/postgres/migrate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrationsFolder, migrationTable } from './portal-store/migrations-folder.ts';
import { type Ending, type RestartedPostgres, startRestartedPostgres } from './restarted-postgres.fixture.ts';
import { configFor, startTestService, type TestApp, type TestService, until } from './service.fixture.ts';

const apps: readonly TestApp[] = ['a', 'b', 'c', 'd'].map((name) => ({ id: name, name, schemaName: name }));
let server: RestartedPostgres;
let services: readonly [TestService, TestService];

beforeAll(async () => {
  server = await startRestartedPostgres();
  await migrate(server.url, migrationsFolder, migrationTable);
  services = [await startTestService(server.url), await startTestService(server.url)];
  for (const app of apps) await services[0].merge(configFor(app), app);
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await server.stop();
});

const runsOf = ({ id }: TestApp) => services.flatMap(({ engine }) => engine.running(id));
const isShared = () =>
  apps.every((app) => runsOf(app).length === 1) &&
  services.every(({ engine }) => apps.filter(({ id }) => engine.running(id).length === 1).length === 2);
const list = (of: TestService) => of.call(listIntegrations, {});

test.each<readonly [string, Ending]>([
  ['restarted', 'SIGINT'],
  ['crashed', 'SIGQUIT'],
])(
  'when PostgreSQL has %s, nothing runs without a lease, no line is lost, and both services recover',
  async (how, ending) => {
    await until(isShared);
    const [app] = apps;
    const [service] = services;
    const [before] = app ? runsOf(app) : [];
    if (!app || !before) throw new Error('It does not run.');
    const viewer = service.socket({ type: 'LOG_SESSION', appId: app.id });
    const lines = () =>
      viewer.frames.flatMap((frame) => {
        const { key, value } = syncSocketReplySchema.parse(frame);
        return key === how ? [value] : [];
      });
    before.run.log(how, 'before');
    await until(() => lines().length === 1);

    await server.end(ending);
    before.run.log(how, 'while it is away');
    const { status, body } = await list(service);
    expect({ status, body }).toMatchObject({ status: 503, body: { kind: 'unreachable' } });
    // No process can be sure to be the only one: it stops before its lease expires.
    await until(() => apps.every((one) => runsOf(one).length === 0));
    expect(() => before.run.assertLease()).toThrow();
    await server.start();

    await until(isShared);
    const [after] = runsOf(app);
    expect(BigInt(after?.run.fence ?? 0)).toBeGreaterThan(BigInt(before.run.fence));
    after?.run.log(how, 'after');
    await until(() => lines().length === 3);
    expect(lines()).toEqual(['before', 'while it is away', 'after']);
    viewer.socket.close();
    for (const one of services) {
      const { body: all } = await list(one);
      expect(all.map(({ id, status }) => ({ id, status }))).toEqual(apps.map(({ id }) => ({ id, status: 'Enabled' })));
    }
    // The services notify each other again: a change in one takes effect in the other.
    for (const { id } of apps) await service.call(setEnabled, { appIds: [id], enabled: false });
    await until(() => apps.every((one) => runsOf(one).length === 0));
    for (const { id } of apps) await service.call(setEnabled, { appIds: [id], enabled: true });
  },
  300_000,
);
