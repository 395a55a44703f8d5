import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccessWorld, startAccessWorld } from './access-world.fixture.ts';
import { grantAccess } from './grant-access.ts';
import { revertAccess } from './revert-access.ts';

const quoted = pg.escapeIdentifier;
const schemaName = 'Any Schema';
let world: AccessWorld;

beforeAll(async () => {
  world = await startAccessWorld(getTestPostgresUrl(), { schemaName, schemaSql: () => '' });
});
afterAll(() => world.stop());

type RoleName = 'app' | 'team' | 'otherTeam' | 'portal';
const role = fc.constantFrom<RoleName>('app', 'team', 'otherTeam', 'portal');

/** Objects that exist in every run, with the privileges that can be granted on them. */
const targets = [
  { on: 'table things', alter: 'table things', privileges: ['select', 'insert', 'update', 'references', 'trigger'] },
  { on: 'table things', alter: 'table things', privileges: ['select (body)', 'update (body)', 'references (id)'] },
  { on: 'table few', alter: 'view few', privileges: ['select', 'insert'] },
  { on: 'sequence things_id_seq', alter: 'table things', privileges: ['usage', 'select', 'update'] },
  { on: 'sequence free', alter: 'sequence free', privileges: ['usage', 'select', 'update'] },
  { on: 'function act(int)', alter: 'function act(int)', privileges: ['execute'] },
  { on: 'type mood', alter: 'type mood', privileges: ['usage'] },
  { on: 'schema "Any Schema"', alter: null, privileges: ['usage', 'create'] },
] as const;

const objectsSql = `
create schema "Any Schema"; set local search_path = "Any Schema";
create table things (id serial, body text); create view few as select * from things; create sequence free;
create function act(int) returns int language sql as 'select 1'; create type mood as enum ('a');`;

const target = fc.constantFrom(...targets);
const change = fc.oneof(
  fc.record({
    kind: fc.constant('grant' as const),
    target,
    pick: fc.nat(),
    to: fc.option(role),
    by: role,
    option: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('revoke' as const), target, pick: fc.nat(), from: fc.option(role), by: role }),
  fc.record({ kind: fc.constant('owner' as const), target, to: role }),
  fc.record({
    kind: fc.constant('defaults' as const),
    what: fc.constantFrom('select on tables', 'usage on sequences', 'execute on functions', 'usage on types'),
    to: fc.option(role),
    option: fc.boolean(),
  }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Writes each change as a block of its own, so a change that is not allowed has no effect. */
function toSql(one: Change): string {
  const name = (who: RoleName | null) => (who === null ? 'public' : quoted(world[who]));
  const pickFrom = ({ target, pick }: { target: (typeof targets)[number]; pick: number }) =>
    target.privileges[pick % target.privileges.length];
  const option = 'option' in one && one.option && one.to !== null ? ' with grant option' : '';
  let sql = '';
  if (one.kind === 'grant') {
    sql = `set local role ${name(one.by)}; grant ${pickFrom(one)} on ${one.target.on} to ${name(one.to)}${option};`;
  }
  if (one.kind === 'revoke') {
    sql = `set local role ${name(one.by)}; revoke ${pickFrom(one)} on ${one.target.on} from ${name(one.from)} cascade;`;
  }
  if (one.kind === 'owner' && one.target.alter) sql = `alter ${one.target.alter} owner to ${name(one.to)};`;
  if (one.kind === 'defaults') {
    sql = `alter default privileges for role ${name('app')} in schema "Any Schema" grant ${one.what} to ${name(one.to)}${option};`;
  }
  return `do ${pg.escapeLiteral(`begin ${sql} exception when others then null; end`)}; reset role;`;
}

it('restores every owner and privilege', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 14 }), fc.boolean(), async (changes, isTeams) => {
      const [first, second] = isTeams ? [world.otherTeam, world.app] : [world.app, world.otherTeam];
      await world.sql(
        `begin; ${objectsSql} ${['schema "Any Schema"', ...targets.flatMap(({ alter }) => alter ?? [])]
          .map((one) => `alter ${one} owner to ${quoted(first)};`)
          .join('')}
         grant create, usage on schema "Any Schema" to ${quoted(world.app)};
         ${isTeams ? `grant ${quoted(first)} to ${quoted(second)} granted by ${quoted(world.portal)};` : ''}
         ${changes.map(toSql).join('\n')} commit;`,
      );
      try {
        const before = await world.state();
        const teams = [world.team, world.otherTeam];
        const wanted = { schemaName, team: world.team, teams, recorded: world.app, mode: 'run' } as const;
        const { plan } = await grantAccess(world.database, wanted);
        expect(plan.steps).not.toEqual([]);
        expect((await grantAccess(world.database, wanted)).plan.steps).toEqual([]);
        await revertAccess(world.database, { before: plan.before, team: world.team, mode: 'run' });
        expect(await world.state()).toEqual(before);
      } finally {
        await world.sql(
          `drop schema "Any Schema" cascade; revoke ${quoted(world.otherTeam)} from ${quoted(world.app)} granted by ${quoted(world.portal)}`,
        );
      }
    }),
    { numRuns: 30 },
  );
});
