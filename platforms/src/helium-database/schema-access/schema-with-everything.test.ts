import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccessWorld, startAccessWorld } from './access-world.fixture.ts';
import { catalogScript } from './catalog-script.ts';
import { grantAccess } from './grant-access.ts';
import { revertAccess } from './revert-access.ts';
import type { SchemaState } from './schema-state.ts';

describe.each(findTestVersions())('access to a schema with objects of every kind, on $name', (version) => {
  let server: TestServer;
  let world: AccessWorld;

  beforeAll(async () => {
    server = await version.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    world = await startAccessWorld(server.url);
  });
  afterEach(() => world.stop());

  const grant = (team: string, recorded?: string) =>
    grantAccess(world.database, {
      schemaName: world.schemaName,
      team,
      teams: [world.team, world.otherTeam],
      recorded,
      mode: 'run',
    });
  const revert = (before: SchemaState, team: string) => revertAccess(world.database, { before, team, mode: 'run' });

  /**
   * Owners and privileges of the schema's objects, without the schema itself, default privileges,
   * and memberships.
   */
  const objects = async () => (await world.state()).filter((line) => !/^(schema|defaults|member) /.test(line));
  const inSql = (role: string) => `"${role.replaceAll('"', '""')}"`;

  it('gives every object to the team, except members of an extension', async () => {
    const members = `select string_agg(format('%s %s', p.oid, p.proowner::regrole), ',' order by p.oid) as line
      from pg_proc p join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'`;
    const before = await world.sql(members);
    const count = (await objects()).filter((line) => line.includes(inSql(world.app))).length;
    expect(count).toBeGreaterThan(50);
    await grant(world.team);
    expect(await world.sql(members)).toEqual(before);
    expect((await objects()).filter((line) => line.includes(inSql(world.app)))).toEqual([]);
    expect((await objects()).filter((line) => line.includes(inSql(world.team)))).toHaveLength(count);
    expect((await grant(world.team)).plan.steps).toEqual([]);
  });

  it('lets the team read, write, and alter every object, and no other team', async () => {
    await grant(world.team);
    await world.sql(
      `insert into visit (status) values (null); select nextval('visit_id_seq'), nextval('free_sequence');
       alter table visit add column more int; refresh materialized view visit_summary; select * from open_visit;
       select add_one(1); select total(id) from visit; create table "of the team" (id int); drop table measured_2026;
       insert into measured select '2026-02-02', 1 where false; drop function add_one(int, "A Pair")`,
      world.team,
    );
    // PostgreSQL 11 adds no value inside a transaction, and several statements are one.
    await world.sql(`alter type mood add value 'glad'`, world.team);
    for (const refused of ['select * from visit', 'create table mine (id int)', `alter type mood add value 'bad'`]) {
      await expect(world.sql(refused, world.otherTeam)).rejects.toThrow(/permission denied|does not exist|no schema/);
    }
  });

  it('keeps the app working and gives the team access to new objects of the app', async () => {
    await grant(world.team);
    await world.sql(
      `insert into visit (status) values ('Open'); select nextval('free_sequence');
       create or replace function touch() returns trigger language plpgsql as $f$ begin return new; end $f$;
       drop trigger touch on visit; create trigger touch before insert on visit for each row execute function touch();
       alter table visit add column reviewed date; refresh materialized view visit_summary;
       create table later (id serial primary key, visit int references visit (id)); create index on visit (weight);
       create type later_type as enum ('a'); drop view open_visit; create view open_visit as select * from visit`,
      world.app,
    );
    await world.sql(`insert into later (visit) select min(id) from visit; select 'a'::later_type`, world.team);
  });

  it('moves from one team to the next and leaves the first without privileges', async () => {
    const first = await grant(world.team);
    await world.sql('create table later (id serial primary key)', world.app);
    const inBetween = await world.state();
    const { plan } = await grant(world.otherTeam, world.app);
    expect(plan.formerTeam).toBe(world.team);
    const mentions = (await world.state()).filter((line) => line.includes(world.team));
    expect(mentions.every((line) => line.startsWith('member') || line.includes(world.portal))).toBe(true);
    await expect(world.sql('select * from later', world.team)).rejects.toThrow(/permission denied|does not exist/);
    await world.sql('insert into later default values; select * from visit', world.app);
    await world.sql('insert into later default values; select * from visit', world.otherTeam);
    await revert(plan.before, world.otherTeam);
    expect(await world.state()).toEqual(inBetween);
    expect(first.plan.before.owner).toBe(world.app);
  });

  it('restores the previous state when the grant is reverted', async () => {
    const before = await world.state();
    const { plan } = await grant(world.team);
    await revert(plan.before, world.team);
    expect(await world.state()).toEqual(before);
  });

  it('leaves the team no privileges on newer objects after a revert', async () => {
    const { plan } = await grant(world.team);
    await world.sql('create table by_app (id serial primary key)', world.app);
    await world.sql('create table by_team (id serial primary key); drop table parent cascade', world.team);
    await revert(plan.before, world.team);
    const lines = (await world.state()).filter((line) => !line.startsWith('member'));
    expect(lines.filter((line) => line.includes(world.team))).toEqual([]);
    await world.sql('drop table by_app, by_team', world.app);
  });

  it('grants the same by a script that reads the catalogs, also after another team', async () => {
    const { schemaName, app, team, otherTeam, portal } = world;
    const runScript = (to: string) =>
      world.sql(catalogScript({ schemaName, team: to, teams: [team, otherTeam] }), portal);
    /** A table of the app on which a third role has granted privileges to the first team. */
    const createLater = async () => {
      await world.sql(
        `create table later (id int); grant usage on schema ${inSql(schemaName)} to ${inSql(otherTeam)};
         grant select on later to ${inSql(otherTeam)} with grant option`,
        app,
      );
      await world.sql(`grant select on later to ${inSql(team)}`, otherTeam);
    };
    const before = await world.state();
    const first = await grant(team);
    const granted = await world.state();
    await createLater();
    const second = await grant(otherTeam);
    const replaced = await world.state();
    await revert(second.plan.before, otherTeam);
    await world.sql('drop table later', app);
    await revert(first.plan.before, team);
    expect(await world.state()).toEqual(before);

    await runScript(team);
    expect(await world.state()).toEqual(granted);
    await createLater();
    await runScript(otherTeam);
    expect(await world.state()).toEqual(replaced);
    await runScript(otherTeam);
    expect(await world.state()).toEqual(replaced);
  });

  it('finds the app’s role by its mark in the privileges when there is no record', async () => {
    await grant(world.team);
    const { plan } = await grant(world.otherTeam);
    expect(plan.before.appRole).toBe(world.app);
  });
});
