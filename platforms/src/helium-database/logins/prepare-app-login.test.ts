import { randomBytes } from 'node:crypto';
import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import { Secret } from '@portal/kit/secret';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveAppLogin } from './app-login.ts';
import { prepareAppLogin } from './prepare-app-login.ts';

const key = new Secret('5'.repeat(64));

describe.each(findTestVersions())('the login of an app on $name', (version) => {
  const suffix = randomBytes(4).toString('hex');
  const [app, other, team, granting] = [`app ${suffix}`, `other ${suffix}`, `team ${suffix}`, `granting_${suffix}`];
  const database = `logins_${suffix}`;
  let server: TestServer;
  let admin: pg.Client;
  let grantUrl = '';

  const toUrl = (user?: string) => {
    const url = Object.assign(new URL(server.url), { pathname: `/${database}` });
    return user === undefined ? url.href : Object.assign(url, { username: user, password: 'secret' }).href;
  };
  const request = (schemaName: string) => ({
    dataSource: 'helium-app-1',
    grantUrl,
    schemaName,
    login: deriveAppLogin(key, grantUrl, schemaName),
  });
  const prepare = (schemaName: string) =>
    prepareAppLogin(async (sql, parameters) => (await admin.query(sql, parameters)).rows, request(schemaName));
  const connect = async (url: string) => {
    const client = new pg.Client(url);
    await client.connect();
    return client;
  };

  beforeAll(async () => {
    server = await version.start();
    const first = await connect(server.url);
    const { rows } = await first.query(`select current_setting('server_version_num')::int >= 160000 as "isNew"`);
    const withAdmin = rows[0].isNew ? 'with admin true, inherit true, set true' : 'with admin option';
    await first.query(`create database ${database} template template0`);
    await first.end();
    admin = await connect(toUrl());
    await admin.query(`create role ${granting} login createrole password 'secret';
      create role "${app}"; create role "${other}"; create role "${team}";
      grant "${app}", "${other}", "${team}" to ${granting} ${withAdmin};
      create schema a__app_001 authorization "${app}"; create schema b__app_001 authorization "${other}";
      create schema c__app_001; create table b__app_001.t (); alter table b__app_001.t owner to "${other}"`);
    grantUrl = toUrl(granting);
  });
  afterAll(async () => {
    const { rows } = await admin.query(
      `select rolname from pg_roles where rolname like 'portal\\_app\\_%' and rolname = any ($1)`,
      [['a__app_001', 'b__app_001', 'd__app_001'].map((schema) => deriveAppLogin(key, grantUrl, schema).role)],
    );
    await admin.end();
    const last = await connect(server.url);
    await last.query(`drop database ${database}`);
    for (const name of [...rows.map(({ rolname }) => rolname), app, other, team, granting])
      await last.query(`drop role ${pg.escapeIdentifier(name)}`);
    await last.end();
    await server.stop();
  });

  it('is created, logs in, and has the rights of the owner of the schema and no others', async () => {
    await prepare('a__app_001');
    await prepare('a__app_001');
    const client = await connect(request('a__app_001').login.url);
    const { rows } = await client.query(`select
      has_schema_privilege('a__app_001', 'create') as own, has_schema_privilege('b__app_001', 'usage') as other,
      (select rolsuper or rolcreaterole or rolcreatedb or rolbypassrls from pg_roles where rolname = current_user) as power`);
    expect(rows).toEqual([{ own: true, other: false, power: false }]);
    await client.end();
  });

  it('is created once by many calls at the same time', async () => {
    await admin.query(`create schema d__app_001 authorization "${app}"`);
    await Promise.all(Array.from({ length: 8 }, () => prepare('d__app_001')));
    const client = await connect(request('d__app_001').login.url);
    await client.end();
  });

  it('follows the owner of the schema to another role and back', async () => {
    const owners: unknown[] = [];
    for (const owner of [team, other]) {
      await admin.query(`alter schema b__app_001 owner to "${owner}"`);
      await prepare('b__app_001');
      const { rows } = await admin.query(
        `select array_agg(roleid::regrole::text) as of from pg_auth_members where member = (
          select oid from pg_roles where rolname = $1)`,
        [request('b__app_001').login.role],
      );
      owners.push(rows[0].of);
    }
    expect(owners).toEqual([[`"${team}"`], [`"${other}"`]]);
  });

  it('is refused for a schema that belongs to a superuser', async () => {
    await expect(prepare('c__app_001')).rejects.toThrow(
      /^The schema c__app_001 belongs to \S+, which has more rights on the server than an app may have/,
    );
  });

  it('is refused while someone has given it what no app may have', async () => {
    await prepare('a__app_001');
    const { role } = request('a__app_001').login;
    await admin.query(`alter role "${role}" bypassrls`);
    await expect(prepare('a__app_001')).rejects.toThrow(
      `The login ${role} of a__app_001 has BYPASSRLS, which no app may have.`,
    );
    await admin.query(`alter role "${role}" nobypassrls`);
    await prepare('a__app_001');
  });

  it('is refused with a sentence where the granting login may not create it', async () => {
    await admin.query(`alter schema c__app_001 owner to "${team}"; alter role ${granting} nocreaterole`);
    await expect(prepare('c__app_001')).rejects.toThrow(
      /^The granting login of the data source helium-app-1 may not create the login of c__app_001: /,
    );
    await admin.query(`alter role ${granting} createrole`);
  });
});

it('derives different logins for other keys, databases and schemas, with names that PostgreSQL does not cut', () => {
  const url = 'postgres://reader@db/helium';
  const long = 'a'.repeat(63);
  const logins = [
    deriveAppLogin(key, url, long),
    deriveAppLogin(key, url, `${long.slice(1)}b`),
    deriveAppLogin(key, 'postgres://reader@db/other', long),
    deriveAppLogin(new Secret('6'.repeat(64)), url, long),
  ];
  expect(new Set(logins.map(({ role }) => role)).size).toBe(4);
  expect(Math.max(...logins.map(({ role }) => Buffer.byteLength(role)))).toBe(63);
  expect(deriveAppLogin(key, url, long)).toEqual(logins[0]);
});
