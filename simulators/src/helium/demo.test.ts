import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { createHeliumClient } from '@portal/platforms/helium/client';
import { readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import { openHeliumDatabase } from '@portal/platforms/helium-database/database';
import { readLastResults } from '@portal/platforms/helium-database/scheduled-function-results';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type DemoEnvironment, type DemoPlatforms, startDemoPlatforms } from './demo.ts';

let demo: DemoPlatforms;
let stateDir: string;
const credentials = { userName: 'demo', password: 'demo' };
/** Errors that functions produce by design; any other error is a mistake in their SQL. */
const byDesign = /Outbound API call|Cannot read attribute|Maximum allowed number of rows|division by zero/;

const RunResponse = z.object({ error: z.string().nullable() });

const start = (size: 'small' | 'large-app' = 'small') =>
  startDemoPlatforms({ postgres: { url: getTestPostgresUrl() }, stateDir, size });

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'demo-platforms-'));
  demo = await start();
});
afterAll(async () => {
  await demo.stop();
  await rm(stateDir, { recursive: true });
});

describe('demo platforms', () => {
  it('provides the expected environments, apps, and data sources', async () => {
    const counted = await Promise.all(
      demo.environments.map(async ({ name, baseUrl, dataSources }) => {
        const { entries: apps } = await createHeliumClient({ baseUrl }).listApps({ credentials });
        return { name, apps: apps.length, dataSources: dataSources.length };
      }),
    );
    expect(counted).toEqual([
      { name: 'Production', apps: 9, dataSources: 2 },
      { name: 'Zambia-production', apps: 4, dataSources: 2 },
      { name: 'Staging', apps: 5, dataSources: 2 },
    ]);
  });

  it('provides every app’s schema and a latest result for each of its functions', async () => {
    for (const { baseUrl, dataSources } of demo.environments) {
      const client = createHeliumClient({ baseUrl });
      const { entries: apps } = await client.listApps({ credentials });
      for (const { heliumDataSourceName: name, grantUrl: url } of dataSources) {
        const database = openHeliumDatabase({ name, url });
        for (const { schemaName } of await readAppSchemas(database)) {
          const app = apps.find((one) => one.schemaName === schemaName);
          const { entries: events } = await client.listScheduledEvents({ credentials, appId: app?.id ?? '' });
          const { results: last } = await readLastResults(database, schemaName);
          expect([...last.keys()].sort()).toEqual(events.map(({ unit, event }) => `${unit}:${event}`).sort());
        }
        await database.close();
      }
    }
  });

  it('has a function that fails from the start', async () => {
    const schemaNames = [];
    for (const { heliumDataSourceName: name, grantUrl: url } of demo.environments[0]?.dataSources ?? []) {
      const database = openHeliumDatabase({ name, url });
      for (const { schemaName } of await readAppSchemas(database)) {
        const { results } = await readLastResults(database, schemaName);
        if (results.get('Loggers:pollVendor')?.success === false) schemaNames.push(schemaName);
      }
      await database.close();
    }
    expect(schemaNames).toEqual(['cold_chain_001']);
  });

  it("stores states in Helium's own type, and has an attribute that Helium requires", async () => {
    const source = demo.environments.find(({ name }) => name === 'Staging')?.dataSources[0];
    const database = openHeliumDatabase({ name: 'apps', url: source?.grantUrl ?? '' });
    const states = await database.query(
      `select distinct format_type(atttypid, atttypmod) as type from pg_attribute join pg_class on oid = attrelid
       where relnamespace::regnamespace::text ~ '_014$' and relkind = 'r' and relname !~ '^__'
         and attname in ('state', 'status')`,
    );
    const required = await database.query(
      `select attname as name from pg_attribute where attrelid = 'chronic_medicine_014.parcel'::regclass
       and attnum > 0 and attnotnull and attname !~ '^_'`,
    );
    await database.close();
    expect([states, required]).toEqual([[{ type: 'character varying(64)' }], [{ name: 'barcode' }]]);
  });

  it('provides functions whose SQL works', async () => {
    const readFailures = async ({ name, baseUrl }: DemoEnvironment) => {
      const failures: string[] = [];
      const client = createHeliumClient({ baseUrl });
      for (const app of (await client.listApps({ credentials })).entries) {
        for (const { unit, event } of (await client.listScheduledEvents({ credentials, appId: app.id })).entries) {
          const response = await fetch(`${baseUrl}/simulator/run/${app.id}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ function: `${unit}:${event}` }),
          });
          const error = response.ok ? RunResponse.parse(await response.json()).error : null;
          if (error !== null && !byDesign.test(error)) failures.push(`${name}, ${app.name}: ${error}`);
        }
      }
      return failures;
    };
    expect((await Promise.all(demo.environments.map(readFailures))).flat()).toEqual([]);
  });

  it('uses the same addresses after a restart', async () => {
    const addresses = () => demo.environments.map(({ name, baseUrl }) => `${name} ${baseUrl}`);
    const before = addresses();
    await demo.stop();
    demo = await start();
    expect(addresses()).toEqual(before);
  });

  it('adds the large app to an existing environment, with the extension that it uses', async () => {
    await demo.stop();
    demo = await start('large-app');
    const source = demo.environments.find(({ name }) => name === 'Staging')?.dataSources[0];
    const database = openHeliumDatabase({ name: 'large', url: source?.grantUrl ?? '' });
    const rows = await database.query(
      'select count(*)::int as facilities, count(distinct barcode)::int as filled from national_programme_014.facility01',
    );
    await database.close();
    expect(rows[0]?.facilities).toBeGreaterThan(0);
    expect(rows[0]?.filled).toBe(rows[0]?.facilities);
  });
});
