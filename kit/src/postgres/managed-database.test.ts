import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Secret } from '../secret.ts';
import { prepareManagedDatabase } from './managed-database.ts';
import { migrate } from './migrate.ts';
import { withClient } from './pool.ts';
import { getTestPostgresUrl } from './test-database.ts';

const name = 'managed';
let folder: string;

const query = async (address: string, sql: string) => {
  const run = await withClient({ connectionString: address }, (client) => client.query<Record<string, unknown>>(sql));
  return run.rows;
};
const urlFor = (database: string, user?: string, password?: string) => {
  const url = new URL(getTestPostgresUrl());
  url.pathname = `/${database}`;
  if (user !== undefined) url.username = user;
  if (password !== undefined) url.password = password;
  return url.href;
};
const server = { url: getTestPostgresUrl(), urlFor };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  writeFileSync(
    join(folder, '0001.do.tables.sql'),
    `create schema other; create table other.note (id bigint generated always as identity, text text);
     create table entry (text text); comment on table entry is 'append-only';
     create function owner_name() returns text language sql security definer as 'select current_user::text';
     revoke all on function owner_name from public;`,
  );
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await query(server.url, `drop database ${name} with (force)`);
  await query(server.url, `drop role ${name}`);
  await query(server.url, `drop role ${name}_owner`);
});

it("gives a service all changes of rows in its owner's tables, but only new rows where a table is append-only", async () => {
  for (let start = 0; start < 2; start++) {
    const { url, ownerUrl } = await prepareManagedDatabase(server, name);
    await migrate({ databaseUrl: new Secret(url), databaseOwnerUrl: new Secret(ownerUrl) }, folder);
    await query(
      url,
      `insert into other.note (text) values ('a'); update other.note set text = 'b'; delete from other.note`,
    );
    await query(url, `insert into entry values ('a')`);
    expect(await query(url, 'select owner_name()')).toEqual([{ owner_name: `${name}_owner` }]);
    for (const sql of [
      `update entry set text = 'b'`,
      'delete from entry',
      'drop table other.note',
      'create table other.more ()',
    ])
      await expect(query(url, sql)).rejects.toThrow(/permission denied|must be owner/);
  }
});

it('takes over a database whose service was its owner', async () => {
  await query(server.url, `create role ${name} login password 'x'`);
  await query(server.url, `create database ${name} owner ${name}`);
  await migrate(urlFor(name, name, 'x'), folder);
  await query(urlFor(name, name, 'x'), `insert into entry values ('before')`);

  const { url, ownerUrl } = await prepareManagedDatabase(server, name);
  await migrate({ databaseUrl: new Secret(url), databaseOwnerUrl: new Secret(ownerUrl) }, folder);
  expect(await query(url, 'select text from entry')).toEqual([{ text: 'before' }]);
  await expect(query(url, 'delete from entry')).rejects.toThrow('permission denied');
});
