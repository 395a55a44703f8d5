/** Backs up and restores each side of a sync world while the engine keeps running. */
import type { ClientBase } from 'pg';
import { foreignKey, schema, schemaDdl, tableDdl } from '../../helium/helium-gateway.fixture.ts';
import { type SyncWorld, worldKeys, worldTables } from './sync-world.fixture.ts';

const sequence = `${schema}.__he_sync_change_seq__`;

/** Copies all tables of a schema to a schema of its own, and the last number of the change log. */
async function copySchema(session: ClientBase, from: string): Promise<void> {
  await session.query(`drop schema if exists backup_${from} cascade; create schema backup_${from}`);
  for (const table of await listTables(session, from))
    await session.query(
      `create table backup_${from}."${table}" as select to_jsonb(t) as row from only ${from}."${table}" t`,
    );
  if (from === schema)
    await session.query(`create table backup_${from}."drawn" as select last_value, is_called from ${sequence}`);
}

async function listTables(session: ClientBase, of: string): Promise<string[]> {
  const { rows } = await session.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = $1::regnamespace and relkind = 'r' order by oid`,
    [of],
  );
  return rows.map(({ name }) => name);
}

/** Puts the rows of a copied schema back. Triggers and foreign keys are off. */
async function fillSchema(session: ClientBase, to: string, only?: readonly string[]): Promise<void> {
  const tables = (await listTables(session, `backup_${to}`)).filter((name) => only?.includes(name) ?? name !== 'drawn');
  for (const table of tables) {
    await session.query(`delete from only ${to}."${table}"`);
    await session.query(
      `insert into ${to}."${table}" overriding system value
       select (jsonb_populate_record(null::${to}."${table}", row)).* from backup_${to}."${table}"`,
    );
  }
  if (to === schema && !only)
    await session.query(`select setval('${sequence}', last_value, is_called) from backup_${to}."drawn"`);
}

async function inHelium(world: SyncWorld, work: (session: ClientBase) => Promise<void>): Promise<void> {
  const session = await world.helium.connect();
  await session.query('begin; set local session_replication_role = replica');
  await work(session);
  await session.query('commit');
}

export const backUpHelium = (world: SyncWorld) => inHelium(world, (session) => copySchema(session, schema));

/** Backs up the app's schema and the engine's, as a dump of the database does. */
export const backUpHeliumAndState = (world: SyncWorld) =>
  inHelium(world, async (session) => {
    await copySchema(session, schema);
    await copySchema(session, '__portal_sync__');
  });

/** @param later SQL that runs in the same transaction, with triggers */
export const restoreHeliumRows = (world: SyncWorld, later = '') =>
  inHelium(world, async (session) => {
    await fillSchema(session, schema);
    await session.query(`set local session_replication_role = origin; ${later}`);
  });

export const restoreHeliumAndState = (world: SyncWorld) =>
  inHelium(world, async (session) => {
    await fillSchema(session, schema);
    await fillSchema(session, '__portal_sync__');
  });

/** Drops the schema and creates it again from the backup, as `pg_restore --clean` does. */
export const recreateHelium = (world: SyncWorld, later = '') =>
  inHelium(world, async (session) => {
    await session.query(schemaDdl({ tables: worldTables, sql: worldKeys }));
    await fillSchema(session, schema);
    await session.query(`set local session_replication_role = origin; ${later}`);
  });

/** Does the same with one table only. */
export const recreateRegionTable = (world: SyncWorld) =>
  inHelium(world, async (session) => {
    await session.query(
      `drop table region cascade; ${tableDdl('region', worldTables.region)}; ${foreignKey('farmer', 'region_fk', 'region')}`,
    );
    await fillSchema(session, schema, ['region']);
  });

const journeyTables = ['object', 'op_log', 'deployment'];

export const backUpJourney = (world: SyncWorld) =>
  world.journeySql(
    journeyTables
      .map((table) => `drop table if exists b_${table}; create table b_${table} as table ${table};`)
      .join(' '),
  );

export const restoreJourney = (world: SyncWorld) =>
  world.journeySql(
    `begin; delete from object; insert into object select * from b_object;
     delete from op_log; insert into op_log select * from b_op_log;
     update deployment d set last_sequence = b.last_sequence from b_deployment b where b.key = d.key; commit`,
  );
