import { openHeliumDatabase } from '@portal/platforms/helium-database/database';
import { readLastResults } from '@portal/platforms/helium-database/scheduled-function-results';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCompany } from '../definitions.ts';
import type { HeliumSimulator } from '../simulator.ts';
import { smallEnvironment } from '../small-environment.ts';
import { startTestSimulator } from '../test-simulator.ts';
import { createCompanyApps } from './company.ts';

let company: HeliumSimulator;

beforeAll(async () => {
  company = await startTestSimulator({ definition: addCompany(smallEnvironment, { apps: 7, storedResults: 300 }) });
});
afterAll(() => company.stop({ dropDatabases: true }));

async function withApp<T>(
  name: string,
  read: (database: ReturnType<typeof openHeliumDatabase>, schema: string) => Promise<T>,
) {
  const { dataSource, adminUrl, schemaName } = company.app(name);
  const database = openHeliumDatabase({ name: dataSource.heliumDataSourceName, url: adminUrl });
  try {
    return await read(database, schemaName);
  } finally {
    await database.close();
  }
}

test('has 391 apps of different names and schemas, 118 of which have a function that fails', () => {
  const apps = createCompanyApps();
  expect([
    apps.length,
    new Set(apps.map(({ name }) => name)).size,
    new Set(apps.map(({ schema }) => schema)).size,
  ]).toEqual([391, 391, 391]);
  expect(apps.filter(({ functions }) => functions.some(({ alwaysFails }) => alwaysFails))).toHaveLength(118);
  expect(apps.filter(({ storedResults }) => storedResults === 50_000)).toHaveLength(40);
});

test('spreads the apps over six data sources', () => {
  const names = createCompanyApps({ apps: 7, storedResults: 0 }).map(
    (app) => company.app(app.name).dataSource.heliumDataSourceName,
  );
  expect(names).toEqual([1, 2, 3, 4, 5, 6, 1].map((no) => `helium-app-${no}`));
});

test('gives an app the results of a year, and a last result for each function', async () => {
  await withApp('Patient Registry Harare', async (database, schema) => {
    const { rows } = await database.transaction({ readOnly: true }, async ({ query }) => ({
      rows: await query<{ count: number; failed: number }>(
        `select count(*)::int as count, (count(*) filter (where not success))::int as failed from "${schema}".__scheduled_function_result__`,
      ),
    }));
    expect(rows).toEqual([{ count: 300, failed: expect.any(Number) }]);
    expect(rows[0]?.failed).toBeGreaterThan(0);
    const { results: last } = await readLastResults(database, schema);
    expect([...last.values()].map(({ success }) => success)).toEqual(Array(5).fill(true));
  });
  const { results: failing } = await withApp('Vaccine Registry Harare', readLastResults);
  expect(failing.get('Exports:deliver')).toMatchObject({ success: false, error: expect.any(String) });
});
