import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { Silent } from '@portal/platforms/reachability';
import { expect, it } from 'vitest';
import { configSchema } from '../config.ts';
import { Environments } from '../platform/environments.ts';
import { createInstantClock } from '../testing/instant-clock.ts';
import { createDataSource } from './data-source.ts';

const statementMs = 200;
const { signal } = new AbortController();

/** A data source whose apps take this long each, by the clock of the checks. */
function createSource({ isSilent = false } = {}) {
  const clock = createInstantClock();
  const spent = { ms: 0 };
  const read = async (sql: string | { readonly text: string }) => {
    // The check of what the table is takes no time.
    if (!`${typeof sql === 'string' ? sql : sql.text}`.includes('max(datetimestampstarted)')) return [];
    spent.ms += statementMs;
    await clock.pause(statementMs);
    if (isSilent) throw new Silent('It has not answered since 16:55.');
    return [];
  };
  const database: HeliumDatabase = {
    name: 'helium-app-1',
    silence: isSilent ? new Silent('It has not answered since 16:55.') : undefined,
    statementIdKey: '',
    query: async () => [],
    transaction: (_, work) => work({ query: read, queryText: read }),
    withSignal: () => database,
    hasSeparateLogins: true,
    asApp: () => database,
    get granting() {
      return database;
    },
    close: async () => undefined,
  };
  const { environments } = configSchema.parse({
    environments: [{ name: 'Production', baseUrl: 'http://127.0.0.1:1' }],
    databaseUrl: 'postgres://127.0.0.1:1/portal',
  });
  const environment = new Environments(environments, { timeoutMs: 1_000 }).require({});
  const appDatabases = { readSchemas: async () => new Set<string>() };
  return { source: createDataSource(environment, database, { appDatabases, clock }), clock, spent };
}

it('a data source spends at most a twentieth of its time on checks, and 67 slow apps take less than five minutes', async () => {
  const { source, clock, spent } = createSource();
  const startedAt = clock.now();
  for (let at = 0; at < 67; at++) await source.check(`app_${at}`, signal);
  const tookMs = clock.now() - startedAt;
  expect(spent.ms).toBe(67 * statementMs);
  expect(spent.ms / (tookMs + 20 * statementMs)).toBeLessThanOrEqual(0.05);
  expect(tookMs).toBeLessThan(300_000);
});

it('a data source that has not answered is not left alone longer', async () => {
  const { source, clock } = createSource({ isSilent: true });
  for (let at = 0; at < 2; at++) await expect(source.check('app', signal)).rejects.toBeInstanceOf(Silent);
  expect(clock.now()).toBe(2 * statementMs);
});
