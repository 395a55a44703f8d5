import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namesSchema } from './app-rule.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function isNamedIn(schemaName: string, text: string): Promise<boolean> {
  const { rows } = await client.query<{ named: boolean }>('select $1::text ~ $2 as named', [
    text,
    namesSchema(schemaName),
  ]);
  return rows[0]?.named === true;
}

describe('schema name pattern', () => {
  it.each([
    'select * from clinic_001.visit',
    'select * from CLINIC_001.visit',
    'select * from "clinic_001".visit',
    'select * from"clinic_001".visit',
    'clinic_001',
    'set search_path = a,clinic_001',
    'select (clinic_001.f(1))',
    'create schema clinic_001;',
    'drop table\n\tclinic_001.visit',
  ])('matches %s', async (text) => expect(await isNamedIn('clinic_001', text)).toBe(true));

  it.each([
    'select * from clinic_0010.visit',
    'select * from my_clinic_001.visit',
    'select * from "CLINIC_001".visit',
    'select * from "the clinic_001".visit',
    'select * from "clinic_001 old".visit',
    'select * from "a""clinic_001".visit',
    'select * from "clinic_001""b".visit',
    'select * from clinic_001$.visit',
    'select * from éclinic_001.visit',
    'select * from clinic_001é.visit',
  ])('does not match %s', async (text) => expect(await isNamedIn('clinic_001', text)).toBe(false));

  it('matches an unusual name only in quotes', async () => {
    expect(await isNamedIn('Clinic', 'select * from clinic.visit, Clinic.visit')).toBe(false);
    expect(await isNamedIn('Clinic', 'select * from "Clinic".visit')).toBe(true);
    expect(await isNamedIn('a.b', 'select * from a.b, "a_b".c')).toBe(false);
    expect(await isNamedIn('a"b', 'select * from "a""b".c')).toBe(true);
  });

  it('matches every name as PostgreSQL quotes it, and never a longer one', async () => {
    const names = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...'aZ_$09"\\.*+?()[]{}|^-é '), minLength: 1, maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(
        names.filter((name) => !name.includes('\0')),
        async (name) => {
          const { rows } = await client.query<{ name: string; longer: string }>(
            `select format('%I', $1::text) as name, format('%I', $1::text || 'x') as longer`,
            [name],
          );
          expect(await isNamedIn(name, `select * from ${rows[0]?.name}.visit`)).toBe(true);
          expect(await isNamedIn(name, `select * from ${rows[0]?.longer}.visit`)).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });
});
