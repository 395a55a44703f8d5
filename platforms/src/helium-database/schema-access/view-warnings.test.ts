import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccessWorld, grantAccessIn, startAccessWorld } from './access-world.fixture.ts';
import { smallSchema } from './schema-with-everything.fixture.ts';

const quoted = pg.escapeIdentifier;

// Views can read as the role that queries them since version 15.
const versions = findTestVersions().filter(({ major }) => major >= 15);

describe.each(versions)('warnings of a grant about views on $name', (version) => {
  let server: TestServer;
  let world: AccessWorld;

  beforeAll(async () => {
    server = await version.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    world = await startAccessWorld(server.url, { schemaName: 'clinic_001', schemaSql: smallSchema });
    await world.sql(
      `create schema elsewhere; create table elsewhere.secret (id int);
       grant usage on schema elsewhere to ${quoted(world.app)}; grant select on elsewhere.secret to ${quoted(world.app)}`,
    );
  });
  afterEach(() => world.stop());

  const findViewWarnings = async (): Promise<string[]> => {
    const { plan } = await grantAccessIn(world, { mode: 'dry-run' });
    return plan.warnings.filter((warning) => warning.includes('would stop working'));
  };

  it.each(['security_invoker', 'security_invoker = on', 'security_invoker = 1', 'security_invoker = yes'])(
    'do not name a view with the option %s, which keeps working',
    async (option) => {
      await world.sql(`create view seen with (${option}) as select id from elsewhere.secret`, world.app);
      expect(await findViewWarnings()).toEqual([]);
      await grantAccessIn(world);
      expect(await world.sql('select id from seen', world.app)).toEqual([]);
    },
  );

  it('name a view that reads as its owner, which stops working', async () => {
    await world.sql('create view seen with (security_invoker = off) as select id from elsewhere.secret', world.app);
    expect(await findViewWarnings()).toEqual([
      expect.stringMatching(/^1 view .*: clinic_001\.seen \(elsewhere\.secret\)\.$/),
    ]);
    await grantAccessIn(world);
    await expect(world.sql('select id from seen', world.app)).rejects.toMatchObject({ code: '42501' });
  });

  it('name a materialized view that reads through such views, whose refresh fails', async () => {
    await world.sql(
      `create view seen with (security_invoker = on) as select id from elsewhere.secret;
       create view passed as select id from seen;
       create materialized view direct as select id from seen;
       create materialized view nested as select id from passed`,
      world.app,
    );
    expect(await findViewWarnings()).toEqual([
      expect.stringMatching(
        /^2 views .*: clinic_001\.direct \(elsewhere\.secret\), clinic_001\.nested \(elsewhere\.secret\)\.$/,
      ),
    ]);
    await grantAccessIn(world);
    for (const name of ['direct', 'nested'])
      await expect(world.sql(`refresh materialized view ${name}`, world.app)).rejects.toMatchObject({ code: '42501' });
    expect(await world.sql('select id from passed', world.app)).toEqual([]);
  });
});
