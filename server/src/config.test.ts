import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationProblem } from '@portal/kit/config';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const database = { PORTAL_DATABASE_URL: 'postgres://portal@db/portal' };

function read(yaml: string, env: Record<string, string> = database, leftOut?: { databaseUrl: string }) {
  const file = join(folder, 'portal.config.yaml');
  writeFileSync(file, `environments: [{ name: Production, baseUrl: "https://helium.example.com" }]\n${yaml}`);
  return readConfig({ PORTAL_CONFIG: file, ...env }, leftOut);
}

function mistakesOf(yaml: string, env?: Record<string, string>): readonly string[] {
  try {
    read(yaml, env);
  } catch (error) {
    if (error instanceof ConfigurationProblem) return error.errors;
    throw error;
  }
  return [];
}

describe('server configuration', () => {
  it('environment variables override the file', () => {
    const { databaseUrl, logLevel, stateFolder } = read('logLevel: debug\nstateFolder: /var/lib/portal', {
      ...database,
      LOG_LEVEL: 'warn',
      PORTAL_STATE_DIR: '',
    });
    expect(databaseUrl.reveal()).toBe(database.PORTAL_DATABASE_URL);
    expect({ logLevel, stateFolder }).toEqual({ logLevel: 'warn', stateFolder: '/var/lib/portal' });
  });

  it('an environment variable sets one setting of a group and keeps the others', () => {
    const env = { ...database, PORTAL_SYNC_URL: 'http://127.0.0.1:9001' };
    expect(read('sync: { slots: 3, url: "http://elsewhere" }', env).sync).toMatchObject({
      slots: 3,
      url: 'http://127.0.0.1:9001',
    });
    expect(read('', env).sync.url).toBe('http://127.0.0.1:9001');
  });

  it.each([
    ['environments[0].baseUrl', (url: string) => `environments: [{ name: A, baseUrl: "${url}" }]`],
    [
      'environments[0].journeyBaseUrls[0]',
      (url: string) => `environments: [{ name: A, baseUrl: "https://a.example", journeyBaseUrls: ["${url}"] }]`,
    ],
    ['links[0].url', (url: string) => `links: [{ label: Wiki, url: "${url}" }]`],
    ['publicUrl', (url: string) => `publicUrl: "${url}"`],
    ['sync.url', (url: string) => `sync: { url: "${url}" }`],
    ['deployments.sourceControlPrefix', (url: string) => `deployments: { sourceControlPrefix: "${url}" }`],
    ['deployments.jira.baseUrl', (url: string) => `deployments: { jira: { baseUrl: "${url}", token: t } }`],
    [
      'supportRoster.pagerDuty.baseUrl',
      (url: string) => `supportRoster: { pagerDuty: { baseUrl: "${url}", token: t } }`,
    ],
  ])('%s refuses an address with a user name or password, and does not repeat it', (setting, write) => {
    const file = join(folder, 'credentials.config.yaml');
    const others = setting.startsWith('environments')
      ? ''
      : 'environments: [{ name: A, baseUrl: "https://a.example" }]\n';
    writeFileSync(file, `${others}${write('https://reader:secret@host.example/')}`);
    expect(() => readConfig({ PORTAL_CONFIG: file, ...database })).toThrow(
      new ConfigurationProblem(file, [`${setting}: must not contain a user name or password`]),
    );
  });

  it('defaults do not override what the file or the environment sets', () => {
    const leftOut = { databaseUrl: 'postgres://other' };
    expect(read('', {}, leftOut).databaseUrl.reveal()).toBe('postgres://other');
    expect(read('', database, leftOut).databaseUrl.reveal()).toBe(database.PORTAL_DATABASE_URL);
    expect(() => read('databaseUrl: nonsense', {}, leftOut)).toThrow('databaseUrl: is not an address');
  });

  it('lists the problems of the settings in all addresses', () => {
    const dataSource = 'heliumDataSourceName: helium-app-1, hostname: db, dbName: apps';
    const yaml = `environments:\n  - {name: Test, baseUrl: "https://test.example.com", dataSources: [{${dataSource}, url: "postgres://db/apps?sslmode=verify-ca&pooled=1"}]}\n`;
    const file = join(folder, 'addresses.config.yaml');
    writeFileSync(file, yaml);
    const env = { PORTAL_CONFIG: file, PORTAL_DATABASE_URL: 'postgres://db/portal?sslrootcert=/nowhere/ca.pem' };
    expect(() => readConfig(env)).toThrow(
      new ConfigurationProblem(file, [
        'environments[0].dataSources[0].url: sslmode=verify-ca requires sslrootcert; name the file with the certificate of your authority',
        'environments[0].dataSources[0].url: pooled=1 is not one of auto, yes, no',
        'databaseUrl: sslrootcert: the file /nowhere/ca.pem does not exist',
      ]),
    );
  });

  it.each(['databaseUrl', 'databaseOwnerUrl', 'databaseDirectUrl'])('accepts pooled=auto, yes and no in %s', (name) => {
    const env = name === 'databaseUrl' ? {} : database;
    const find = (value: string) => mistakesOf(`${name}: "postgres://db/portal?pooled=${value}"`, env);
    expect(['auto', 'yes', 'no'].flatMap(find)).toEqual([]);
    expect(find('true')).toEqual([`${name}: pooled=true is not one of auto, yes, no`]);
  });

  it.each(['10.0.0.0/8', '127.0.0.1', '::1', 'fd00::/8'])('accepts the trusted proxy %s', (range) => {
    expect(mistakesOf(`trustedProxies: ["${range}"]`)).toEqual([]);
  });

  it.each(['proxy.internal', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/0', '10.0.0.0/8/8', ''])(
    'rejects the trusted proxy "%s"',
    (range) => {
      expect(mistakesOf(`trustedProxies: ["${range}"]`)).toEqual([
        'trustedProxies[0]: is not an address or range such as 10.0.0.0/8',
      ]);
    },
  );

  it('rejects an invalid database address without repeating it in the message', () => {
    expect(mistakesOf('', { PORTAL_DATABASE_URL: 'portal:hush@db' })).toEqual([
      'databaseUrl: is not an address such as postgresql://user:password@host:5432/database',
    ]);
  });

  it('accepts the sign-in settings of files that were written when they were limits', () => {
    const settings = { windowMins: 15, failuresPerUser: 10, failuresPerAddress: 100 };
    expect(read(`signIn: ${JSON.stringify(settings)}`).signIn).toEqual(settings);
  });

  it('rejects an idle limit so short that sessions in use would end', () => {
    expect(mistakesOf('session: { idleMins: 1 }')).toEqual([expect.stringMatching(/^session\.idleMins: /)]);
  });
});
