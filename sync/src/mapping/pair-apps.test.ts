import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { JourneyDataModel } from '@portal/platforms/journey/data-model-wire';
import { definitions } from '@portal/simulators/helium/definitions';
import { schemaDdl, viewsDdl } from '@portal/simulators/helium/schema-ddl';
import { dataModelBody } from '@portal/simulators/journey/data-model';
import { createAppSchema } from '@portal/simulators/journey/demo/app-schema';
import { parseSchema } from '@portal/simulators/journey/schema-xml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCatalogReader } from '../helium/read-catalog.ts';
import { readJourneyCatalog } from '../journey/read-catalog.ts';
import { compareMappings } from './compare-mappings.ts';
import { pairModels } from './pair-models.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { max: 1, applicationName: 'test' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const apps = new Map(definitions.flatMap(({ apps }) => apps.map((app) => [app.name, app] as const)));

it.each([...apps.values()])('pairs every object of $name with the Journey app created from it', async (app) => {
  await pool.query(
    `create schema ${app.schema}; set search_path to ${app.schema}; ${schemaDdl(app, app.schema)}; ${viewsDdl(app)}`,
  );
  const { models, appUser } = parseSchema(createAppSchema(app.objects));
  const body = { ...dataModelBody(models, appUser), datamodel_hash: 'h1' };
  const mapping = pairModels({
    catalog: await createCatalogReader({ pool, schema: app.schema })(),
    models: readJourneyCatalog(JourneyDataModel.parse(JSON.parse(JSON.stringify(body)))),
    skipTables: [],
    skipObjectTypes: [],
    enableHeliumToJourney: true,
    enableJourneyToHelium: true,
  });
  const tracked = app.objects.filter((object) => object.tracked);
  expect(mapping.objects.map(({ table }) => table).sort()).toEqual(
    tracked.map(({ name }) => name.toLowerCase()).sort(),
  );
  expect(mapping.notes.filter(({ severity }) => severity === 'refused')).toEqual([]);

  const positions = new Map(mapping.objects.map(({ table }, position) => [table, position]));
  for (const { table, fields } of mapping.objects) {
    for (const { references } of fields) {
      if (references === undefined || references === table) continue;
      expect(positions.get(references)).toBeLessThan(positions.get(table) ?? -1);
    }
  }
  expect(compareMappings(mapping, mapping)).toEqual({ additive: [], breaking: [], unknown: [] });
});
