import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from './migrate.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let folder: string;
let database: TestDatabase;

beforeEach(async () => {
  // Migrations are found by a pattern, which interprets such characters.
  folder = mkdtempSync(join(tmpdir(), 'migrations [a-z] {1,2} (x)!-'));
  database = await createTestDatabase();
  write('0001.do.people.sql', "create table person (name text); insert into person values ('Ann');");
});

afterEach(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

function write(file: string, sql: string): void {
  writeFileSync(join(folder, file), sql);
}

const readNames = () => read('select name from person order by name');
const readHistory = () => read('select version, name, md5, run_at::text from migration order by version');

async function read(sql: string): Promise<unknown[]> {
  const client = new pg.Client(database.url);
  await client.connect();
  const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
  await client.end();
  return rows.flat();
}

test('runs missing migrations once', async () => {
  expect(await migrate(database.url, folder)).toEqual(['people']);
  write('0002.do.bob.sql', "insert into person values ('Bob');");
  expect(await migrate(database.url, folder)).toEqual(['bob']);
  expect(await migrate(database.url, folder)).toEqual([]);
  expect(await readNames()).toEqual(['Ann', 'Bob']);
});

test('migrates once when several nodes start concurrently', async () => {
  const runs = await Promise.all(Array.from({ length: 5 }, () => migrate(database.url, folder)));
  expect(runs.flat()).toEqual(['people']);
  expect(await readNames()).toEqual(['Ann']);
});

test('leaves the database unchanged when a migration fails', async () => {
  await migrate(database.url, folder);
  write('0002.do.bob.sql', "insert into person values ('Bob');");
  write('0003.do.broken.sql', 'insert into nowhere values (1);');
  await expect(migrate(database.url, folder)).rejects.toThrow(
    'could not be migrated: relation "nowhere" does not exist',
  );
  expect(await readNames()).toEqual(['Ann']);
});

test('refuses a changed migration, except for line endings', async () => {
  write('0002.do.two-lines.sql', "insert into person\nVALUES ('Bob');");
  await migrate(database.url, folder);
  write('0002.do.two-lines.sql', "insert into person\r\nVALUES ('Bob');");
  expect(await migrate(database.url, folder)).toEqual([]);
  write('0001.do.people.sql', 'create table person (name text, age int);');
  await expect(migrate(database.url, folder)).rejects.toThrow('created by another version');
});

test.each([
  ['another file', { '0001.do.persons.sql': 'create table persons (name text);' }],
  ['one file instead of two', { '0001.do.people.sql': 'create table person (name text, age int);' }],
  ['one file fewer', { '0001.do.people.sql': "create table person (name text); insert into person values ('Ann');" }],
])('refuses a database that an older checkout migrated: %s', async (_, files: Record<string, string>) => {
  write('0002.do.bob.sql', "insert into person values ('Bob');");
  await migrate(database.url, folder);
  const history = await readHistory();
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  for (const [file, sql] of Object.entries(files)) write(file, sql);
  const { host } = new URL(database.url);
  await expect(migrate(database.url, folder)).rejects.toThrow(
    new Error(
      `The database could not be migrated: the database "${database.name}" on ${host} was created by another version of ` +
        'this program; start that version again, or start with an empty database: drop this one and create it again, ' +
        'or delete the folder .portal if it was created there.',
    ),
  );
  expect(await readNames()).toEqual(['Ann', 'Bob']);
  expect(await readHistory()).toEqual(history);
});

test('refuses misnamed migration files and gaps in their numbers', async () => {
  write('0003.do.later.sql', 'select 1;');
  await expect(migrate(database.url, folder)).rejects.toThrow('0003.do.later.sql should be number 2');
  rmSync(join(folder, '0003.do.later.sql'));
  write('2.do.later.sql', 'select 1;');
  await expect(migrate(database.url, folder)).rejects.toThrow('2.do.later.sql is not a valid migration file name');
});
