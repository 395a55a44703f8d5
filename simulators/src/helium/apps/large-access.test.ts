import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import {
  type AccessWorld,
  grantAccessIn,
  planActionsIn,
  startAccessWorld,
} from '@portal/platforms/helium-database/schema-access/access-world.fixture';
import { revertAccess } from '@portal/platforms/helium-database/schema-access/revert-access';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extensionsDdl, schemaDdl, viewsDdl } from '../schema-ddl.ts';
import { seedSql } from '../seed-rows.ts';
import { createLargeApp } from './large.ts';

const schemaName = 'national_programme_001';
const app = createLargeApp(2);

function schemaSql(_: string, role: string): string {
  const quoted = pg.escapeIdentifier(role);
  return `${extensionsDdl(app)} create schema ${schemaName} authorization ${quoted};
    set local role ${quoted}; set local search_path = ${schemaName};
    ${schemaDdl(app, schemaName, seedSql(app, 1))} ${viewsDdl(app)} reset role;`;
}

describe.each(findTestVersions())('access to the large app, on $name', (version) => {
  let server: TestServer;
  let world: AccessWorld;

  beforeAll(async () => {
    server = await version.start();
    world = await startAccessWorld(server.url, { schemaName, schemaSql });
  });
  afterAll(async () => {
    await world.stop();
    await server.stop();
  });

  const addUpload = `insert into upload01 (_tstamp_, line) values (now(), 'added')`;
  const addFacility = `insert into facility01 (_id_, _tstamp_, name, code, deleted)
    values (public.uuid_generate_v4(), now(), 'New', 'N1', 'No')`;

  it('is granted and reverted, with defaults that use an extension, which stays unchanged', async () => {
    const before = await world.state();
    const extension = `select p.proowner::regrole::text as owner, p.proacl::text as acl, n.nspname as schema
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace where p.proname = 'uuid_generate_v4'`;
    const member = await world.sql(extension);
    const actions = await planActionsIn(world);
    expect(actions.length).toBeGreaterThan(290);
    expect(actions.filter((sql) => sql.includes('uuid_generate'))).toEqual([]);

    const { plan } = await grantAccessIn(world);
    expect(plan.steps.map(({ sql }) => sql)).toEqual(actions);
    expect(plan.warnings).toEqual([]);
    expect(await world.sql(extension)).toEqual(member);
    for (const role of [world.team, world.app])
      await world.sql(`${addUpload}; ${addFacility}; select * from stockreport01_executor;`, role);
    expect(await planActionsIn(world)).toEqual([]);

    await revertAccess(world.database, { before: plan.before, team: world.team, mode: 'run' });
    expect(await world.state()).toEqual(before);
    await world.sql(`${addUpload}; select * from stockreport02_executor;`, world.app);
  });
});
