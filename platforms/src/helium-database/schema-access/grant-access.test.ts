import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AccessWorld,
  catchFailureIn,
  grantAccessIn,
  planActionsIn,
  startAccessWorld,
} from './access-world.fixture.ts';
import { catalogScript } from './catalog-script.ts';
import { smallSchema } from './schema-with-everything.fixture.ts';

const quoted = pg.escapeIdentifier;
let world: AccessWorld;

beforeEach(async () => {
  world = await startAccessWorld(getTestPostgresUrl(), { schemaSql: smallSchema });
});
afterEach(() => world.stop());

/** Grants access with a script that reads the catalogs, as a superuser. */
function runCatalogScript(team = world.team): Promise<unknown> {
  const { schemaName, otherTeam } = world;
  return world.sql(catalogScript({ schemaName, team, teams: [world.team, otherTeam] }));
}

/** Runs a statement when the first view changes its owner. */
async function failMidway(act: string): Promise<void> {
  await world.sql(
    `create function public.fail() returns event_trigger language plpgsql as ${pg.escapeLiteral(`begin ${act}; end`)};
     create event trigger fail on ddl_command_start when tag in ('ALTER VIEW') execute function public.fail()`,
  );
}

describe('schema access grant', () => {
  it('calls only functions of PostgreSQL in the script that an administrator runs', async () => {
    // Each fits a call better than PostgreSQL's own, and its schema is in the search path.
    await world.sql(`create schema found_first;
      create function found_first.hashtextextended(text, int) returns bigint language plpgsql as $$
        begin raise exception 'ran as %', current_user; end $$;
      create function found_first.array_remove(text[], text) returns text[] language plpgsql as $$
        begin raise exception 'ran as %', current_user; end $$`);
    const { schemaName, team } = world;
    const script = catalogScript({ schemaName, team, teams: [team] });
    await world.sql(`set search_path to found_first, public; ${script}`);
    const [schema] = await world.sql(
      `select pg_get_userbyid(nspowner)::text as owner from pg_namespace where nspname = ${pg.escapeLiteral(schemaName)}`,
    );
    expect(schema).toEqual({ owner: team });
  });

  it('plans every statement in a dry run and changes nothing', async () => {
    const before = await world.state();
    const { plan } = await grantAccessIn(world, {
      mode: 'dry-run',
      beforeCommit: () => Promise.reject(new Error('never called')),
    });
    expect(plan.steps.map(({ sql }) => sql)).toEqual(await planActionsIn(world));
    expect(await world.state()).toEqual(before);
  });

  it.each([
    ['40P01', 409, 'The app and this change blocked each other (deadlock). Try again in a moment.'],
    ['42501', 409, 'The portal’s user lacks a permission: test failure.'.replace('’', "'")],
    ['42704', 409, 'A required object is missing: test failure.'],
    ['53200', 409, 'The server has no room for this many locks: test failure.'],
    ['57014', 504, 'The change took too long and was canceled.'],
    ['XX000', 409, 'PostgreSQL reports: test failure.'],
  ])('explains a failure with %s and names the failed statement', async (code, status, words) => {
    await failMidway(`raise exception 'test failure' using errcode = '${code}'`);
    const actions = await planActionsIn(world);
    const problem = await catchFailureIn(world);
    expect(problem).toMatchObject({ name: 'FailedActions', status, actions });
    expect(String(problem)).toContain(words);
    expect(String(problem)).toMatch(/ Nothing was changed\. Failed statement: ALTER VIEW .+ OWNER TO .+;$/);
  });

  it('runs again after deadlocks with the app', async () => {
    await world.sql('create sequence public.attempt; grant usage on sequence public.attempt to public');
    await failMidway(
      `if nextval('public.attempt') < 4 then raise exception 'deadlock' using errcode = '40P01'; end if`,
    );
    const { plan } = await grantAccessIn(world);
    expect(plan.steps.length).toBeGreaterThan(0);
    expect(await planActionsIn(world)).toEqual([]);
  });

  it('reports a connection lost midway, with the planned actions', async () => {
    await failMidway('perform pg_terminate_backend(pg_backend_pid())');
    const actions = await planActionsIn(world);
    const problem = await catchFailureIn(world);
    expect(problem).toMatchObject({ name: 'FailedActions', status: 502, actions });
    expect(String(problem)).toContain('The data source helium-app-1 closed the connection.');
  });

  it('refuses a schema or team that does not exist', async () => {
    expect(await catchFailureIn(world, { schemaName: 'nothing', mode: 'run' }).catch((error) => error)).toMatchObject({
      status: 404,
    });
    expect(String(await catchFailureIn(world, { team: `x"; drop table visit; --` }))).toContain(
      'There is no database user x"; drop table visit; --',
    );
  });

  it.each([
    ['superuser', 'is a superuser'],
    ['replication', 'may replicate the whole server'],
    ['bypassrls', 'bypasses row level security'],
    ['createrole', 'may create roles'],
  ])('refuses a team with %s', async (attribute, words) => {
    await world.sql(`alter role ${quoted(world.team)} ${attribute}`);
    const refusal = `${world.team} cannot receive a schema because it ${words}.`;
    expect(String(await catchFailureIn(world))).toContain(refusal);
    await expect(runCatalogScript()).rejects.toThrow(refusal);
  });

  it('refuses the app’s role, the portal’s user, PostgreSQL’s own roles, and members of superusers', async () => {
    expect(String(await catchFailureIn(world, { team: world.app }))).toContain('is the role the app works as');
    expect(String(await catchFailureIn(world, { team: world.portal }))).toContain("is the portal's own user");
    expect(String(await catchFailureIn(world, { team: 'pg_monitor' }))).toContain('own roles');
    await world.sql(`grant postgres to ${quoted(world.team)}`);
    expect(String(await catchFailureIn(world))).toContain('it is a member of the superuser postgres.');
  });

  it('refuses objects that belong to a superuser instead of asking for superuser rights', async () => {
    await world.sql(`alter function ${quoted(world.schemaName)}.act() owner to postgres`);
    expect(String(await catchFailureIn(world))).toContain(
      'Some objects belong to postgres, and only a superuser can act for that role. Ask a superuser to run the SQL from Generate SQL.',
    );
    await world.sql((await planActionsIn(world)).join('\n'));
    expect(await planActionsIn(world)).toEqual([]);
  });

  it('refuses a schema whose app role cannot be determined', async () => {
    await grantAccessIn(world);
    await world.sql(`revoke create on schema ${quoted(world.schemaName)} from ${quoted(world.app)}`, world.team);
    const problem = await catchFailureIn(world, { team: world.otherTeam });
    expect(problem).toMatchObject({ name: 'Conflict', status: 409 });
    expect(String(problem)).toContain('the role the app works as cannot be determined');
    await expect(runCatalogScript(world.otherTeam)).rejects.toThrow('the role the app works as cannot be determined');
    await grantAccessIn(world, { team: world.otherTeam, recorded: world.app });
  });

  it('refuses a grant that would make the app’s role a member of itself', async () => {
    await world.sql(`grant ${quoted(world.app)} to ${quoted(world.team)}`);
    expect(String(await catchFailureIn(world))).toContain(
      `Run: REVOKE ${quoted(world.app)} FROM ${quoted(world.team)};`,
    );
    await expect(runCatalogScript()).rejects.toThrow(`${world.team} is a member of ${world.app}`);
  });

  it('lists warnings that do not prevent a grant', async () => {
    const schema = quoted(world.schemaName);
    const app = quoted(world.app);
    await world.sql(
      `set search_path = ${schema};
       create schema elsewhere; create table elsewhere.secret (id int);
       grant usage on schema elsewhere to ${app}; grant select on elsewhere.secret to ${app};
       set role ${app};
       create view peeking as select * from elsewhere.secret;
       create function powerful() returns int language sql security definer as 'select 1';
       grant select on visit, open_visit to ${quoted(world.otherTeam)};
       grant select on visit to ${quoted(world.portal)};
       reset role;
       create extension "uuid-ossp" schema public; create extension citext schema public;
       revoke all on schema public from public; grant usage on schema public to ${app};
       alter role ${quoted(world.team)} nologin;`,
    );
    const { plan } = await grantAccessIn(world, { mode: 'dry-run' });
    expect(plan.warnings).toEqual([
      expect.stringMatching(/^Anyone who calls 1 SECURITY DEFINER function would act as .*powerful\(\)\.$/),
      expect.stringMatching(/^1 view would stop working because .*peeking \(elsewhere\.secret\)\.$/),
      `${world.team} cannot call functions of the extensions citext and uuid-ossp, because it may not use the schema public. Run: GRANT USAGE ON SCHEMA "public" TO ${quoted(world.team)};`,
      `${world.team} cannot log in; only its members benefit.`,
      `${world.otherTeam} keeps the privileges it was granted on 2 objects.`,
    ]);
    await world.sql(`grant usage on schema public to ${quoted(world.team)}`);
    const { plan: usable } = await grantAccessIn(world, { mode: 'dry-run' });
    expect(usable.warnings).toEqual(plan.warnings.filter((warning) => !warning.includes('citext')));
    await world.sql('drop schema elsewhere cascade');
  });
});
