import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccessWorld, startAccessWorld } from './access-world.fixture.ts';
import { type GrantRequest, grantAccess } from './grant-access.ts';
import { readTransactionOutcome } from './transaction-outcome.ts';

const quoted = pg.escapeIdentifier;

/** As an app has them, and small. */
const schemaSql = (schemaName: string, app: string) => `
create schema ${quoted(schemaName)} authorization ${quoted(app)};
set local role ${quoted(app)}; set local search_path = ${quoted(schemaName)};
create table visit (id serial primary key, status text); create view open_visit as select * from visit;
create function act() returns int language sql as 'select 1'; reset role;`;

describe.each(findTestVersions())('granting, on $name', (version) => {
  let server: TestServer;
  let world: AccessWorld;

  beforeAll(async () => {
    server = await version.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    world = await startAccessWorld(server.url, { schemaSql });
  });
  afterEach(() => world.stop());

  const grant = (wanted: Partial<GrantRequest> = {}) =>
    grantAccess(world.database, {
      schemaName: world.schemaName,
      team: world.team,
      teams: [world.team, world.otherTeam],
      mode: 'run',
      ...wanted,
    });
  const actionsOf = async (wanted: Partial<GrantRequest> = {}) =>
    (await grant({ mode: 'plan', ...wanted })).plan.steps.map(({ sql }) => sql);

  /** The failure of a grant, after which everything must be as it was. */
  async function failureOf(wanted: Partial<GrantRequest> = {}) {
    const before = await world.state();
    const problem: unknown = await grant(wanted).then(
      () => expect.unreachable('it was granted'),
      (error: unknown) => error,
    );
    expect(await world.state()).toEqual(before);
    return problem;
  }

  it('is all or nothing when a lock is held elsewhere, and says by whom', async () => {
    const actions = await actionsOf();
    const holder = await world.connect(world.app);
    await holder.query(`set application_name = 'a report'; begin; select * from visit`);
    const problem = await failureOf({ lockTimeoutMs: 50 });
    await holder.end();
    expect(problem).toMatchObject({ name: 'AccessFailure', status: 409, actions });
    expect(String(problem)).toMatch(/The (table|view) .* is in use, and was not free in time: it is held by app "of"/);
    expect(String(problem)).toContain('(a report, idle in transaction since ');
    expect(String(problem)).toContain('OWNER TO');
  });

  it('waits for another change of the same schema, and gives up in time', async () => {
    const problem = await new Promise<unknown>((resolve, reject) => {
      grant({
        beforeCommit: async () => resolve(await grant({ lockTimeoutMs: 50 }).catch((error: unknown) => error)),
      }).catch(reject);
    });
    expect(String(problem)).toContain('Somebody else is changing the access of the schema');
    expect(problem).toMatchObject({ status: 409 });
  });

  it('at once to two teams ends with one owner of everything', async () => {
    await Promise.all([grant(), grant({ team: world.otherTeam }), grant(), grant({ team: world.otherTeam })]);
    const owners = await world.sql(
      `select distinct pg_get_userbyid(relowner) as owner from pg_class where relnamespace = ${pg.escapeLiteral(quoted(world.schemaName))}::regnamespace
       union select pg_get_userbyid(nspowner) from pg_namespace where nspname = ${pg.escapeLiteral(world.schemaName)}`,
    );
    expect(owners).toHaveLength(1);
    await world.sql(`insert into visit (status) values ('Open'); select act()`, world.app);
  });

  it('is rolled back when the record cannot be written, and told to whoever asks for its number later', async () => {
    const seen: string[] = [];
    const failure = new Error('the record is away');
    const problem = await failureOf({
      beforeCommit: async ({ xid }) => {
        seen.push(xid, await readTransactionOutcome(world.database, xid));
        throw failure;
      },
    });
    expect(problem).toBe(failure);
    const [aborted = '', outcome] = seen;
    expect(outcome).toBe('in progress');
    expect(await readTransactionOutcome(world.database, aborted)).toBe('aborted');
    let committed = '';
    await grant({
      beforeCommit: async ({ xid }) => {
        committed = xid;
      },
    });
    expect(await readTransactionOutcome(world.database, committed)).toBe('committed');
    expect(await readTransactionOutcome(world.database, '18446744073709551000')).toBe('unknown');
  });

  it('shows in a dry run what it would do, and does nothing', async () => {
    const before = await world.state();
    const { plan } = await grant({ mode: 'dry-run', beforeCommit: () => Promise.reject(new Error('never called')) });
    expect(plan.steps.map(({ sql }) => sql)).toEqual(await actionsOf());
    expect(await world.state()).toEqual(before);
  });

  it('refuses a schema or a team that is not there', async () => {
    expect(await failureOf({ schemaName: 'nothing', mode: 'run' }).catch((error) => error)).toMatchObject({
      status: 404,
    });
    expect(String(await failureOf({ team: `x"; drop table visit; --` }))).toContain(
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
    expect(String(await failureOf())).toContain(`${world.team} cannot be given a schema: it ${words}.`);
  });

  it('refuses the app’s role, the portal’s user, PostgreSQL’s own roles, and members of superusers', async () => {
    expect(String(await failureOf({ team: world.app }))).toContain('is the role the app itself works as');
    expect(String(await failureOf({ team: world.portal }))).toContain('is the user the portal itself works as');
    expect(String(await failureOf({ team: 'pg_monitor' }))).toContain('own roles');
    await world.sql(`grant postgres to ${quoted(world.team)}`);
    expect(String(await failureOf())).toContain('it is a member of the superuser postgres.');
  });

  it('refuses what would make the app’s role a member of itself', async () => {
    await world.sql(`grant ${quoted(world.app)} to ${quoted(world.team)}`);
    expect(String(await failureOf())).toContain(`Run: REVOKE ${quoted(world.app)} FROM ${quoted(world.team)};`);
  });

  it('says all the portal’s user lacks, with SQL that mends it', async () => {
    await world.sql(
      `revoke ${quoted(world.team)}, ${quoted(world.app)} from ${quoted(world.portal)};
       do $$ begin execute format('revoke create on database %I from ${quoted(world.portal)}', current_database()); end $$;`,
    );
    const message = String(await failureOf());
    const remedies = message.split("The portal's user ").flatMap((sentence) => sentence.split('Run: ')[1] ?? []);
    expect(remedies).toHaveLength(3);
    expect((await actionsOf()).length).toBeGreaterThan(5);
    await world.sql(remedies.join('\n'));
    await grant();
  });

  it('lets no app stop working for not inheriting', async () => {
    await world.sql(`alter role ${quoted(world.app)} noinherit`);
    if (version.major < 16) {
      const message = String(await failureOf());
      await world.sql(message.match(/ALTER ROLE .+?;/)?.[0] ?? '');
    }
    await grant();
    await world.sql(`insert into visit (status) values ('Open'); alter table visit add column more int`, world.app);
  });

  it('warns of what is worth knowing', async () => {
    await world.sql(
      `create schema elsewhere; create table elsewhere.secret (id int); grant usage on schema elsewhere to ${quoted(world.app)};
       grant select on elsewhere.secret to ${quoted(world.app)}; set role ${quoted(world.app)};
       create view peeking as select * from elsewhere.secret;
       create function powerful() returns int language sql security definer as 'select 1';
       grant select on visit, open_visit to ${quoted(world.otherTeam)}; reset role;
       alter role ${quoted(world.team)} nologin; alter schema ${quoted(world.schemaName)} owner to ${quoted(world.app)};`.replace(
        'create schema',
        `set search_path = ${quoted(world.schemaName)}; create schema`,
      ),
    );
    const { plan } = await grant({ mode: 'dry-run' });
    expect(plan.warnings).toEqual([
      expect.stringMatching(/^Whoever calls 1 SECURITY DEFINER function would act as .*powerful\(\)\.$/),
      expect.stringMatching(/^1 view would stop working, .*peeking \(elsewhere\.secret\)\.$/),
      `${world.team} may not log in; only members of it will profit.`,
      `${world.otherTeam} keeps the privileges it was granted on 2 objects.`,
    ]);
    await world.sql('drop schema elsewhere cascade');
  });
});
