import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { addEntryPoint } from '@portal/contract/app-config';
import { getApps } from '@portal/contract/apps';
import { getAudit } from '@portal/contract/audit';
import { getScheduledFunctionResults } from '@portal/contract/scheduled-functions';
import { deleteSession, getSession } from '@portal/contract/session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from './testing/small-world.ts';

const encryptionKey = randomBytes(32).toString('hex');
const metricsToken = `metrics-${randomBytes(8).toString('hex')}`;
const wrongPassword = `wrong-${randomBytes(8).toString('hex')}`;
const basicPassword = `basic-${randomBytes(8).toString('hex')}`;

let world: SmallWorld;
const responses: string[] = [];
let token = '';

/**
 * Runs everything that a user and a script do in a session, including failures, at the most
 * detailed log level.
 */
beforeAll(async () => {
  world = await startSmallWorld({ logLevel: 'trace', encryptionKey, metricsToken });
  const { network, server, helium, baseUrl } = world;
  const appId = helium.app('Clinic Visits').id;
  const keep = async (response: Promise<{ text: string; headers: Headers }>) => {
    const { text, headers } = await response;
    responses.push(text, ...[...headers].filter(([name]) => name !== 'set-cookie').map(([, value]) => value));
  };

  const person = server.client();
  await keep(person.attempt(getApps, { credentials: { userName: 'health.dev', password: wrongPassword }, baseUrl }));
  await keep(person.attempt(getApps, { credentials: { userName: 'health.dev', password: 'health' }, baseUrl }));
  token = person.cookieHeaders.cookie?.split('=')[1] ?? '';
  await keep(person.attempt(getSession, undefined));
  await keep(person.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 }));
  await keep(person.attempt(getScheduledFunctionResults, { uuid: appId }));
  await keep(person.send('POST', getApps.path, `{"credentials":{"userName":"x","password":"${wrongPassword}"`));
  await keep(
    person.send('POST', getApps.path, JSON.stringify({ credentials: { userName: 7, password: wrongPassword } })),
  );
  await keep(person.send('GET', '/metrics', undefined, { authorization: `Bearer ${metricsToken}` }));
  await keep(person.send('GET', getSession.path, undefined, { authorization: `Basic ${btoa(`x:${basicPassword}`)}` }));

  network.decide(() => 'cut');
  await keep(person.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 20 }));
  await keep(person.attempt(getApps, { credentials: { userName: 'health.dev', password: wrongPassword }, baseUrl }));
  network.reset();

  await server.dependencies.pool.query('alter table session rename to away');
  await keep(person.attempt(getSession, undefined));
  await keep(person.attempt(getApps, { credentials: { userName: 'demo', password: 'demo' }, baseUrl }));
  await server.dependencies.pool.query('alter table away rename to session');
  await keep(person.attempt(getAudit, {}));
  await keep(person.attempt(deleteSession, undefined));
});
afterAll(() => world.stop());

function secrets(): string[] {
  const { dataSources } = world.helium;
  const databasePasswords = dataSources.map(({ url }) => new URL(url).password).filter((password) => password !== '');
  const portalPassword = new URL(world.server.databaseUrl).password;
  expect(databasePasswords).not.toEqual([]);
  expect(token).toHaveLength(43);
  const plain = [
    wrongPassword,
    basicPassword,
    encryptionKey,
    metricsToken,
    token,
    portalPassword,
    ...databasePasswords,
  ];
  const encoded = [`health.dev:health`, `x:${basicPassword}`].map((text) => btoa(text));
  return [...plain, ...encoded, '"health"'].filter((secret) => secret !== '');
}

describe('secrets', () => {
  it('do not appear in any log line, even at the most detailed level', () => {
    const logged = world.server.logged();
    // An internal error was logged with its stack, and refusals were logged, so the search covers
    // them.
    expect(logged).toContain('relation \\"session\\" does not exist');
    expect(logged).toContain('the connection was closed');
    for (const secret of secrets()) expect(logged).not.toContain(secret);
  });

  it('do not appear in any response', () => {
    for (const secret of secrets()) for (const response of responses) expect(response).not.toContain(secret);
  });

  it('stores no secret in plain text in the database', async () => {
    const { pool } = world.server.dependencies;
    const tables = ['session', 'audit_entry', 'sign_in_failures', 'sign_in_device'];
    for (const table of tables) {
      const { rows } = await pool.query<{ row: string }>(`select ${table}::text as row from ${table}`);
      for (const { row } of rows) for (const secret of secrets()) expect(row).not.toContain(secret);
    }
  });

  it('do not appear when the configuration or an environment is printed', () => {
    const { config, environments } = world.server.dependencies;
    const printed = [
      JSON.stringify(config),
      inspect(config, { depth: 9 }),
      inspect(environments.all, { depth: 9 }),
    ].join();
    for (const secret of secrets()) expect(printed).not.toContain(secret);
  });
});
