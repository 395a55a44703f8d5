import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccessWorld, startAccessWorld } from './access-world.fixture.ts';
import { catalogScript } from './catalog-script.ts';
import { grantAccess } from './grant-access.ts';
import { revertAccess } from './revert-access.ts';
import { smallSchema } from './schema-with-everything.fixture.ts';

const quoted = pg.escapeIdentifier;
let world: AccessWorld;

beforeAll(async () => {
  world = await startAccessWorld(getTestPostgresUrl(), { schemaName: 'canary', schemaSql: smallSchema });
});
afterAll(() => world.stop());

/** Any name PostgreSQL accepts: up to 63 bytes without NUL, except reserved words. */
const name = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 63 }),
    fc.string({
      unit: fc.constantFrom('"', "'", '\\', ';', '$', ' ', '-', '\n', '%', 'A', 'é', '日'),
      minLength: 1,
      maxLength: 20,
    }),
    fc.constantFrom(
      `'; drop schema canary cascade; --`,
      '"; drop schema canary cascade; --',
      '$$; select 1; $$',
      'n'.repeat(63),
    ),
  )
  .filter((text) => !/\0|[\uD800-\uDFFF]/.test(text) && Buffer.byteLength(text) <= 63)
  .filter((text) => !/^(pg_|public$|none$|canary$|information_schema$)/.test(text));

it('grants and reverts for arbitrary names without running injected SQL', async () => {
  const canary = await world.state();
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(name, { minLength: 4, maxLength: 4 }), async (names) => {
      const [schemaName = '', app = '', team = '', object = ''] = names;
      const [s, a, t, o] = [schemaName, app, team, object].map(quoted);
      await world.sql(
        `create role ${a}; create role ${t}; grant ${a}, ${t} to ${quoted(world.portal)} with admin true, inherit true, set true;
         create schema ${s} authorization ${a}; set role ${a};
         create table ${s}.${o} (${o} int); create type ${s}.${quoted(`${object.slice(0, 10)}!`)} as enum ('a');
         create function ${s}.${o}(${o} ${s}.${o}) returns int language sql as 'select 1';`,
      );
      try {
        const { plan } = await grantAccess(world.database, { schemaName, team, teams: [team], mode: 'run' });
        expect(plan.objects.length).toBe(3);
        await world.sql(`set role ${t}; insert into ${s}.${o} values (1); alter table ${s}.${o} add column more int`);
        await world.sql(`set role ${a}; insert into ${s}.${o} values (2, 3)`);
        await revertAccess(world.database, { before: plan.before, team, mode: 'run' });
        await expect(world.sql(`set role ${t}; select from ${s}.${o}`)).rejects.toThrow(/permission denied/);
        await world.sql(catalogScript({ schemaName, team, teams: [team] }), world.portal);
        await world.sql(`set role ${t}; insert into ${s}.${o} values (5)`);
      } finally {
        await world.sql(`drop schema ${s} cascade; drop role ${a}, ${t}`);
      }
      expect(await world.state()).toEqual(canary);
    }),
    { numRuns: 25 },
  );
});

it('changes nothing by a script for a name of no schema, or of one of PostgreSQL’s own', async () => {
  const canary = await world.state();
  const { team } = world;
  const canaryAt = world.schemaName.padEnd(63, 'x');
  await world.sql(`create schema ${quoted(canaryAt)}`);
  const names = fc.oneof(
    name,
    fc.constantFrom('', `${canaryAt}, too long`, 'CANARY', '$script$; drop schema canary cascade; $script$'),
  );
  await fc.assert(
    fc.asyncProperty(names, async (schemaName) => {
      const script = catalogScript({ schemaName, team, teams: [team] });
      await expect(world.sql(script)).rejects.toThrow(/^There is no schema /);
    }),
    { numRuns: 50 },
  );
  for (const schemaName of ['pg_catalog', 'pg_toast', 'information_schema']) {
    const script = catalogScript({ schemaName, team, teams: [team] });
    await expect(world.sql(script)).rejects.toThrow(`The schema ${schemaName} belongs to PostgreSQL.`);
  }
  expect(await world.state()).toEqual(canary);
});
