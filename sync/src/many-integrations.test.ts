/**
 * Many integrations on two services, one of which is killed repeatedly: people edit files,
 * operators make requests, and half of all downloads fail.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from '@portal/kit/bundle-program.fixture';
import { createEncryption } from '@portal/kit/encryption';
import { createPool, inTransaction, type Pool } from '@portal/kit/postgres/pool';
import { createTestDatabase } from '@portal/kit/postgres/test-database';
import { Secret } from '@portal/kit/secret';
import { changeLogDdl } from '@portal/simulators/helium/change-log-ddl';
import type { DeploymentHandle } from '@portal/simulators/journey/simulator';
import { smallDeployment } from '@portal/simulators/journey/small-deployment';
import { createTestJourneyDatabase, startTestJourney } from '@portal/simulators/journey/test-simulator';
import { afterEach, expect, test, vi } from 'vitest';
import { randomFrom } from './engine/faults/processes/kill-loop.fixture.ts';
import { FileEditor, fileSchemaXml, fileTables, type PlayedWorld } from './engine/testing/file-editor.fixture.ts';
import { startFileProxy } from './engine/testing/file-proxy.fixture.ts';
import { enrollment, PlayedUsers, userKeys, userTables } from './engine/testing/played-users.fixture.ts';
import { createIntegration, dataSource, environment } from './engine/testing/sync-integration.fixture.ts';
import { isSoak } from './engine/testing/sync-world.fixture.ts';
import type { EngineServiceCommand, EngineServiceMessage } from './engine-service-process.fixture.ts';
import { tableDdl } from './helium/helium-gateway.fixture.ts';
import { insertIntegration } from './portal-store/integrations.store.ts';
import { Passwords } from './portal-store/journey-passwords.ts';
import { createSyncDatabase } from './service.fixture.ts';
import { testKey } from './service-config.fixture.ts';

/** `npm run soak` runs many, with other seeds. */
const integrationCount = Number(process.env.INTEGRATIONS ?? (isSoak ? 200 : 3));
const kills = Number(process.env.SERVICE_KILLS ?? (isSoak ? 20 : 1));
const seed = Number(process.env.SEED ?? 20_261_123);

/** A service lives at most this long after its start, which is longer than a lease. */
const lifeMs = 6_000;

/** How many downloads a run may lose when it ends; three were seen on a busy machine. */
const lostPerRun = 4;

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const toDeploymentId = (app: number) => (0x5f1a_0000_0000 + app).toString(16).padEnd(24, '0');
const toSchema = (app: number) => `shop_${app}__app_001`;

test(
  `ends with every file and request of ${integrationCount} integrations right when one of two services is killed ${kills} times`,
  async () => {
    const random = randomFrom(seed);
    const { worlds, journeySql, proxy, command } = await createWorlds();
    const apps = worlds.map((world) => ({
      files: new FileEditor(world, random),
      users: new PlayedUsers(world, random),
    }));
    for (const { users } of apps) await users.create();

    const failures = new Map<string, number>();
    proxy.answer(({ id }) => {
      if (random() < 0.5) return null;
      failures.set(id, (failures.get(id) ?? 0) + 1);
      return 500;
    });
    const starts = new Map<string, number>();
    const startService = await createServices(command, (id) => starts.set(id, (starts.get(id) ?? 0) + 1));
    const services = [await startService(), await startService()];
    const wait = { timeout: isSoak ? 600_000 : 100_000, interval: 100 };
    for (const { users } of apps) await vi.waitUntil(() => users.areSynced(), wait);

    let isOver = false;
    const editing = (async () => {
      while (!isOver) {
        const app = apps[Math.floor(random() * apps.length)];
        await (random() < 0.5 ? app?.files.edit() : app?.users.act());
        await pause(random() * 20);
      }
    })();
    editing.catch(() => undefined);
    for (let killed = 0; killed < kills; killed += 1) {
      await pause(random() * lifeMs);
      const service = services.shift();
      service?.kill('SIGKILL');
      services.push(await startService());
    }
    isOver = true;
    await editing;
    for (const { files } of apps) await files.finishUploads();
    proxy.answer(() => null);

    for (const { files, users } of apps)
      await vi.waitFor(async () => {
        await users.signInAgain();
        expect([...(await files.findDifferences()), ...(await users.findDifferences())]).toEqual([]);
      }, wait);
    // A run that ends loses what it has downloaded and not stored; a busy machine may end one
    // without a kill.
    const { rows } = await journeySql(
      'select d.id as deployment, a.id::text from attachment a join deployment d on d.key = a.deployment',
    );
    const deployments = new Map(rows.map(({ deployment, id }) => [id, deployment]));
    const counts = new Map<string, { downloads: number; failures: number; files: Set<string> }>();
    for (const id of proxy.downloads) {
      const deployment: string | undefined = deployments.get(id);
      // Journey no longer has a file that was replaced.
      if (deployment === undefined) continue;
      const count = counts.get(deployment) ?? { downloads: 0, failures: 0, files: new Set<string>() };
      counts.set(deployment, count);
      count.downloads += 1;
      if (!count.files.has(id)) count.failures += failures.get(id) ?? 0;
      count.files.add(id);
    }
    for (const [deployment, { downloads, failures, files }] of counts)
      expect(downloads).toBeLessThanOrEqual(files.size + failures + (starts.get(deployment) ?? 0) * lostPerRun);
    const failed = [...failures.values()].reduce((sum, one) => sum + one, 0);
    console.log(`seed ${seed}: ${proxy.downloads.length} downloads of ${deployments.size} files, ${failed} failures`);
  },
  isSoak ? 3_600_000 : 300_000,
);

/**
 * Starts Journey with one deployment for each app, and creates the apps with their integrations.
 */
async function createWorlds() {
  const numbers = Array.from({ length: integrationCount }, (_, app) => app);
  const journeyDatabase = await createTestJourneyDatabase();
  const journey = await startTestJourney({
    database: journeyDatabase.name,
    deployments: numbers.map((app) => ({ ...smallDeployment, id: toDeploymentId(app), schemaXml: fileSchemaXml })),
  });
  cleanUps.push(() => journey.stop({ dropDatabase: true }));
  const deployments = numbers.map((app) => journey.deployment(toDeploymentId(app)));
  const [first] = deployments;
  if (!first) throw new Error('There is no integration.');
  const proxy = await startFileProxy({ deployment: first });
  cleanUps.push(() => proxy.stop());
  const helium = await createTestDatabase();
  const portal = await createSyncDatabase();
  const [heliumPool, journeyPool, portalPool] = [helium.url, journeyDatabase.url, portal.url].map((url) =>
    createPool(url, { applicationName: 'portal sync test' }),
  ) as [Pool, Pool, Pool];
  cleanUps.push(async () => {
    await Promise.all([heliumPool, journeyPool, portalPool].map((pool) => pool.end()));
    await helium.drop();
    await portal.drop();
  });
  const passwords = new Passwords(portalPool, createEncryption(new Secret(testKey)));
  const journeySql: PlayedWorld['journeySql'] = (text, values) => journeyPool.query(text, values);
  const worlds: PlayedWorld[] = [];
  for (const [app, deployment] of deployments.entries()) {
    await heliumPool.query(createAppDdl(toSchema(app)));
    await saveIntegration(portalPool, passwords, { app, deployment, proxyUrl: proxy.url });
    worlds.push({
      deployment,
      journeySql,
      sql: (text, values = []) => heliumPool.query(text.replaceAll('$s', toSchema(app)), values),
      async edit(...operations) {
        for (const outcome of await deployment.device.edit(...operations)) if (!outcome.success) throw outcome.problem;
      },
    });
  }
  const command: EngineServiceCommand = { databaseUrl: portal.url, heliumUrl: helium.url };
  return { worlds, journeySql, proxy, command };
}

function createAppDdl(schema: string): string {
  const tables = Object.entries({ ...fileTables, ...userTables }).map(([table, columns]) => tableDdl(table, columns));
  return [
    `begin; create schema ${schema}; set local search_path to ${schema};`,
    changeLogDdl(schema),
    ...tables,
    userKeys,
    'commit;',
  ].join('\n');
}

async function saveIntegration(
  pool: Pool,
  passwords: Passwords,
  {
    app,
    deployment,
    proxyUrl,
  }: { readonly app: number; readonly deployment: DeploymentHandle; readonly proxyUrl: string },
): Promise<void> {
  const appId = randomUUID();
  const { id, userName, password } = deployment;
  const url = `${new URL(proxyUrl).origin}${new URL(deployment.url).pathname}`;
  const { config } = createIntegration({ id, url, userName }, appId);
  const helium = { ...config.helium, dbSchema: toSchema(app) };
  const sealedPassword = passwords.seal(new Secret(password), { environment, appId });
  await inTransaction(pool, (client) =>
    insertIntegration(client, {
      environment,
      appId,
      appName: `Shop ${app}`,
      dataSource,
      config: { ...config, helium, journeyToHeliumEnrollment: enrollment },
      sealedPassword,
      by: 'test',
    }),
  );
}

/**
 * Returns what starts another service, and returns when it is ready. Reports the start of each run.
 */
async function createServices(
  command: EngineServiceCommand,
  onStart: (deploymentId: string) => void,
): Promise<() => Promise<ChildProcess>> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-services-'));
  cleanUps.push(() => rmSync(folder, { recursive: true }));
  const source = fileURLToPath(new URL('./engine-service-process.fixture.ts', import.meta.url));
  const program = await bundleProgram(source, folder);
  return async () => {
    const child = fork(program, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    cleanUps.push(() => child.kill('SIGKILL'));
    const ready = new Promise<void>((resolve) => {
      child.on('message', (message: EngineServiceMessage) => {
        if (message === 'ready') resolve();
        else onStart(message.started);
      });
    });
    child.send(command);
    await ready;
    return child;
  };
}
