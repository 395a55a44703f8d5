/**
 * Verifies every example of the guide: Journey loads its data model, Helium's tables are created
 * from its objects, and the engine syncs a complete record of each object in both directions.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Secret } from '@portal/kit/secret';
import { createJourneyClient } from '@portal/platforms/journey/client';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import type { JourneyObject } from '@portal/platforms/journey/wire';
import { createEnrollmentTemplate } from '@portal/sync/api/template';
import { createSyncWorld, type SyncWorld } from '@portal/sync/engine/testing/sync-world.fixture';
import { checkEnrollment } from '@portal/sync/enrollment/check-enrollment';
import { foreignKey } from '@portal/sync/helium/helium-gateway.fixture';
import { readJourneyCatalog } from '@portal/sync/journey/read-catalog';
import type { FieldMap, Mapping } from '@portal/sync/mapping/object-map';
import { pairModels } from '@portal/sync/mapping/pair-models';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type HeliumSchema, type HeliumTable, readHeliumExample } from './helium-language.ts';

const folder = fileURLToPath(new URL('../../web/src/features/sync-guide/examples/', import.meta.url));
const names = readdirSync(folder).flatMap((file) => (file.endsWith('.mez') ? [file.slice(0, -4)] : []));
const readExample = (file: string) => readFileSync(folder + file, 'utf8');

const photo = { bytes: createPhoto(100), extension: 'jpg' };
const document = { bytes: Buffer.from('%PDF-1.7'), extension: 'pdf' };
const createFile = ({ media }: FieldMap) => (media === 'application/pdf' ? document : photo);

/** Maps a Helium column type to the Journey field type. */
const samples: Readonly<Record<string, { readonly sql: unknown; readonly json: unknown }>> = {
  text: { sql: 'Thandi', json: 'Thandi' },
  integer: { sql: 7, json: 7 },
  number: { sql: 2.5, json: 2.5 },
  boolean: { sql: true, json: true },
  date: { sql: '2026-03-04', json: '2026-03-04' },
  datetime: { sql: '2026-03-04 05:06:07', json: '2026-03-04T05:06:07Z' },
};

async function createWorld(name: string): Promise<{ world: SyncWorld; schema: HeliumSchema; mapping: Mapping }> {
  const schema = readHeliumExample(readExample(`${name}.mez`));
  const keys = schema.tables.flatMap((table) =>
    table.columns.flatMap(({ name: column, parent }) =>
      parent === null ? [] : [foreignKey(`"${table.name}"`, `"${column}"`, `"${parent}"`)],
    ),
  );
  const world = await createSyncWorld({
    tables: Object.fromEntries(schema.tables.map((table) => [table.name, table.columns.flatMap(getDefinitions)])),
    sql: [...keys, ...schema.untracked].join('\n'),
    schemaXml: readExample(`${name}.xml`),
  });
  onTestFinished(() => world.stop());
  const catalog = await world.helium.gateway.readCatalog();
  const models = await readModels(world);
  const settings = { skipTables: [], skipObjectTypes: [], enableHeliumToJourney: true, enableJourneyToHelium: true };
  return { world, schema, mapping: pairModels({ catalog, models, ...settings }) };
}

function getDefinitions({ name, sqlType }: HeliumTable['columns'][number]): string[] {
  const beside =
    sqlType === 'bytea'
      ? [`${name}_fname__ varchar(255)`, `${name}_mtype__ varchar(255)`, `${name}_size__ integer`]
      : [];
  return [`"${name}" ${sqlType}`, ...beside];
}

function createClient({ deployment }: SyncWorld) {
  const { url: baseUrl, userName, password } = deployment;
  return createJourneyClient({ baseUrl, userName, password: new Secret(password) });
}

async function readModels(world: SyncWorld) {
  const response = await createClient(world).dataModel();
  if (response === 'unchanged') throw new Error('a first answer cannot be unchanged');
  return readJourneyCatalog(response.model);
}

/**
 * Returns the value of a mapped field on both sides, for the record whose parents are `idOf` their
 * table. Blobs are checked separately.
 */
function createSample(
  field: FieldMap,
  idOf: (table: string) => string,
): { readonly sql: unknown; readonly json: unknown } {
  if (field.kind === 'reference') {
    const id = idOf(field.references ?? '');
    return { sql: id, json: id };
  }
  if (field.kind === 'choice') return { sql: field.choices?.at(-1), json: field.choices?.at(-1) };
  const sample = samples[field.kind];
  if (!sample) throw new Error(`no sample of ${field.kind}`);
  return sample;
}

const getJourneyField = ({ kind, field }: FieldMap) => (kind === 'reference' ? `${field}_id` : field);

/** Journey shows booleans and choices with their labels. */
function getStoredValue(object: JourneyObject, field: string): unknown {
  const value = object[field] ?? null;
  return typeof value === 'object' && value !== null && 'key' in value ? value.key : value;
}

const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 50 });

describe('sync guide example', () => {
  test('exists for every subject, in both languages', () => {
    expect(names.length).toBeGreaterThanOrEqual(7);
    expect(readdirSync(folder).filter((file) => file.endsWith('.xml'))).toEqual(names.map((name) => `${name}.xml`));
  });

  test.for(names)('has the same content in both languages and syncs both ways: %s', async (name) => {
    const { world, schema, mapping } = await createWorld(name);
    expect(mapping.notes.filter(({ severity }) => severity === 'refused')).toEqual([]);
    // Every Journey field of a shared object has a Helium counterpart.
    const unmatched = mapping.notes.filter(
      ({ table, model, field }) => table && model && field && /Helium's/.test(field),
    );
    expect(unmatched).toEqual([]);
    const models = mapping.objects.map(({ table }) => table);
    const unshared = schema.tables.map((table) => table.name).filter((table) => !models.includes(table));
    expect(unshared).toEqual(name === 'multiple-devices' ? ['usersession', 'usersessioncontainer'] : []);

    const client = createClient(world);
    const [inHelium, inJourney] = [new Map<string, string>(), new Map<string, string>()];
    const idOf = (ids: Map<string, string>) => (table: string) => {
      const id = ids.get(table) ?? randomUUID();
      ids.set(table, id);
      return id;
    };
    world.startWithRestarts();
    for (const { table, model, fields } of mapping.objects) {
      const plain = fields.filter(({ kind }) => kind !== 'blob');
      const blobs = fields.filter(({ kind }) => kind === 'blob');

      const id = idOf(inHelium)(table);
      const cells = plain.map((field) => createSample(field, idOf(inHelium)).sql);
      const columns = [...plain, ...blobs].map(({ column }) => `"${column}"`);
      await world.sql(
        `insert into $s."${table}" (_id_, _tstamp_, ${columns.join(', ')})
         values ($1, now(), ${columns.map((_, at) => `$${at + 2}`).join(', ')})`,
        [id, ...cells, ...blobs.map((field) => createFile(field).bytes)],
      );
      await soon(async () => {
        const object = await client.get(model, id);
        for (const field of plain)
          expect([field.field, getStoredValue(object, getJourneyField(field))]).toEqual([
            field.field,
            createSample(field, idOf(inHelium)).json,
          ]);
        for (const { field } of blobs) expect([field, object[`${field}_id`]]).toEqual([field, expect.any(String)]);
      });

      const other = idOf(inJourney)(table);
      const written = plain.map((field) => [getJourneyField(field), createSample(field, idOf(inJourney)).json]);
      const files = blobs.map((field) => {
        const { bytes, extension } = createFile(field);
        return [field.field, { base64: bytes.toString('base64'), filename: `file.${extension}` }];
      });
      await world.edit({
        method: 'put',
        object: { type: model, id: other, ...Object.fromEntries([...written, ...files]) },
      });
      await soon(async () => {
        const { rows } = await world.sql(`select to_jsonb(t) as row from $s."${table}" t where _id_ = $1`, [other]);
        for (const field of plain) {
          const { sql } = createSample(field, idOf(inJourney));
          const seen = rows[0]?.row[field.column];
          expect([field.column, field.kind === 'datetime' ? seen?.replace('T', ' ') : seen]).toEqual([
            field.column,
            sql,
          ]);
        }
        for (const field of blobs)
          expect([field.column, rows[0]?.row[field.column]]).toEqual([
            field.column,
            `\\x${createFile(field).bytes.toString('hex')}`,
          ]);
      });
    }
    expect(await world.held()).toEqual([]);
  });

  test.for([
    ['single-device', 'user'],
    ['multiple-devices', 'session'],
  ] as const)('matches the names that the form proposes for enrollment: %s', async ([name, mode]) => {
    const { world } = await createWorld(name);
    const proposed = { ...createEnrollmentTemplate(mode), enabled: true };
    const models = await readModels(world);
    expect(checkEnrollment(proposed, await world.helium.gateway.readCatalog(), models)).toEqual([]);
    await world.sql('drop table $s."user" cascade');
    expect(checkEnrollment(proposed, await world.helium.gateway.readCatalog(), models)).not.toEqual([]);
  });
});

test('fails on an example with an undefined part', () => {
  expect(() => readHeliumExample('persistent object Farmer { money debts; }')).toThrow('unknown type');
  expect(() => readHeliumExample('persistent object Farmer { @ManyToMany Farmer friends via friends; }')).toThrow(
    'tracked',
  );
  expect(() => readHeliumExample('persistent object Farmer { string name }')).toThrow('not understood');
});
