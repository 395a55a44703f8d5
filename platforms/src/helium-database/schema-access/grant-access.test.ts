import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AccessWorld, actionsIn, failureIn, grantIn, startAccessWorld } from './access-world.fixture.ts';
import { smallSchema } from './schema-with-everything.fixture.ts';

const quoted = pg.escapeIdentifier;
let world: AccessWorld;

beforeEach(async () => {
  world = await startAccessWorld(getTestPostgresUrl(), { schemaSql: smallSchema });
});
afterEach(() => world.stop());

/** From now on something happens when the first view changes hands. */
async function failHalfWay(act: string): Promise<void> {
  await world.sql(
    `create function public.fail() returns event_trigger language plpgsql as ${pg.escapeLiteral(`begin ${act}; end`)};
     create event trigger fail on ddl_command_start when tag in ('ALTER VIEW') execute function public.fail()`,
  );
}

describe('a grant', () => {
  it('waits for another change of the same schema, and gives up in time', async () => {
    const problem = await new Promise<unknown>((resolve, reject) => {
      grantIn(world, {
        beforeCommit: async () => resolve(await grantIn(world, { lockTimeoutMs: 50 }).catch((error: unknown) => error)),
      }).catch(reject);
    });
    expect(String(problem)).toContain('Somebody else is changing the access of the schema');
    expect(problem).toMatchObject({ status: 409 });
  });

  it('at once to two teams ends with one owner of everything', async () => {
    await Promise.all([
      grantIn(world),
      grantIn(world, { team: world.otherTeam }),
      grantIn(world),
      grantIn(world, { team: world.otherTeam }),
    ]);
    const owners = await world.sql(
      `select distinct pg_get_userbyid(relowner) as owner from pg_class where relnamespace = ${pg.escapeLiteral(quoted(world.schemaName))}::regnamespace
       union select pg_get_userbyid(nspowner) from pg_namespace where nspname = ${pg.escapeLiteral(world.schemaName)}`,
    );
    expect(owners).toHaveLength(1);
    await world.sql(`insert into visit (status) values ('Open'); select act()`, world.app);
  });

  it('shows in a dry run what it would do, and does nothing', async () => {
    const before = await world.state();
    const { plan } = await grantIn(world, {
      mode: 'dry-run',
      beforeCommit: () => Promise.reject(new Error('never called')),
    });
    expect(plan.steps.map(({ sql }) => sql)).toEqual(await actionsIn(world));
    expect(await world.state()).toEqual(before);
  });

  it.each([
    ['40P01', 409, 'The app and this change waited for each other (a deadlock). Try again in a moment.'],
    ['42501', 409, 'The portal’s user may not do that: told so.'.replace('’', "'")],
    ['42704', 409, 'Something it needs is missing: told so.'],
    ['53200', 409, 'The server has no room for so many locks at once: told so.'],
    ['57014', 504, 'It took too long and was given up.'],
    ['XX000', 409, 'PostgreSQL says: told so.'],
  ])('that fails half-way with %s says so in words, and where', async (code, status, words) => {
    await failHalfWay(`raise exception 'told so' using errcode = '${code}'`);
    const actions = await actionsIn(world);
    const problem = await failureIn(world);
    expect(problem).toMatchObject({ name: 'AccessFailure', status, actions });
    expect(String(problem)).toContain(words);
    expect(String(problem)).toMatch(/ Nothing was changed\. It happened at: ALTER VIEW .+ OWNER TO .+;$/);
  });

  it('whose connection breaks half-way is told as that, with its actions', async () => {
    await failHalfWay('perform pg_terminate_backend(pg_backend_pid())');
    const actions = await actionsIn(world);
    const problem = await failureIn(world);
    expect(problem).toMatchObject({ name: 'AccessFailure', status: 502, actions });
    expect(String(problem)).toContain('The data source helium-app-1 cut the connection.');
  });

  it('refuses a schema or a team that is not there', async () => {
    expect(await failureIn(world, { schemaName: 'nothing', mode: 'run' }).catch((error) => error)).toMatchObject({
      status: 404,
    });
    expect(String(await failureIn(world, { team: `x"; drop table visit; --` }))).toContain(
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
    expect(String(await failureIn(world))).toContain(`${world.team} cannot be given a schema: it ${words}.`);
  });

  it('refuses the app’s role, the portal’s user, PostgreSQL’s own roles, and members of superusers', async () => {
    expect(String(await failureIn(world, { team: world.app }))).toContain('is the role the app itself works as');
    expect(String(await failureIn(world, { team: world.portal }))).toContain('is the user the portal itself works as');
    expect(String(await failureIn(world, { team: 'pg_monitor' }))).toContain('own roles');
    await world.sql(`grant postgres to ${quoted(world.team)}`);
    expect(String(await failureIn(world))).toContain('it is a member of the superuser postgres.');
  });

  it('asks nobody to make the portal’s user a superuser for what belongs to one', async () => {
    await world.sql(`alter function ${quoted(world.schemaName)}.act() owner to postgres`);
    expect(String(await failureIn(world))).toContain(
      'Some of it belongs to postgres, for whom only a superuser may act. Let one run the SQL that Generate SQL writes.',
    );
    await world.sql((await actionsIn(world)).join('\n'));
    expect(await actionsIn(world)).toEqual([]);
  });

  it('refuses a schema of which nobody can tell the app’s role', async () => {
    await grantIn(world);
    await world.sql(`revoke create on schema ${quoted(world.schemaName)} from ${quoted(world.app)}`, world.team);
    const problem = await failureIn(world, { team: world.otherTeam });
    expect(problem).toMatchObject({ name: 'Conflict', status: 409 });
    expect(String(problem)).toContain('it cannot be told which role the app itself works as');
    await grantIn(world, { team: world.otherTeam, recorded: world.app });
  });

  it('refuses what would make the app’s role a member of itself', async () => {
    await world.sql(`grant ${quoted(world.app)} to ${quoted(world.team)}`);
    expect(String(await failureIn(world))).toContain(`Run: REVOKE ${quoted(world.app)} FROM ${quoted(world.team)};`);
  });

  it('warns of what is worth knowing', async () => {
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
       reset role;
       alter role ${quoted(world.team)} nologin;`,
    );
    const { plan } = await grantIn(world, { mode: 'dry-run' });
    expect(plan.warnings).toEqual([
      expect.stringMatching(/^Whoever calls 1 SECURITY DEFINER function would act as .*powerful\(\)\.$/),
      expect.stringMatching(/^1 view would stop working, .*peeking \(elsewhere\.secret\)\.$/),
      `${world.team} may not log in; only members of it will profit.`,
      `${world.otherTeam} keeps the privileges it was granted on 2 objects.`,
    ]);
    await world.sql('drop schema elsewhere cascade');
  });
});
