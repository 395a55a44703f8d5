/** Backs up one side of a world, and restores it while the other side and the engine's state stay. */
import { withClient } from '@portal/kit/postgres/pool';
import { schema } from '../../helium/helium-gateway.fixture.ts';
import type { SyncWorld } from '../testing/sync-world.fixture.ts';

/** Puts the side back as it was. */
export type Restore = () => Promise<void>;

const heliumTables = ['region', 'farmer', 'visit', '__he_sync_obj_change___current__'];

/** Copies the rows, the change log and its sequence. */
export async function backUpHelium(world: SyncWorld): Promise<Restore> {
  await world.sql('drop schema if exists backup cascade; create schema backup');
  for (const table of heliumTables) await world.sql(`create table backup.${table} as table $s.${table}`);
  const { rows } = await world.sql('select last_value, is_called from $s.__he_sync_change_seq__');
  return async () => {
    const session = await world.helium.connect();
    await session.query('begin; set local session_replication_role = replica');
    for (const table of heliumTables)
      await session.query(
        `delete from ${schema}.${table}; insert into ${schema}.${table} select * from backup.${table}`,
      );
    await session.query('commit');
    await world.sql(`select setval('$s.__he_sync_change_seq__', $1, $2)`, [rows[0].last_value, rows[0].is_called]);
  };
}

const journeyTables = ['object', 'op_log', 'deployment'];

/** Copies the objects, the op-log and its number. */
export async function backUpJourney(world: SyncWorld): Promise<Restore> {
  const copy = journeyTables.map((table) => `create table backup.${table} as table ${table};`).join(' ');
  await query(world, `drop schema if exists backup cascade; create schema backup; ${copy}`);
  const putBack = ['object', 'op_log'].map(
    (table) => `delete from ${table}; insert into ${table} table backup.${table};`,
  );
  return () =>
    query(
      world,
      `begin; ${putBack.join(' ')}
       update deployment d set last_sequence = b.last_sequence from backup.deployment b where b.key = d.key; commit`,
    );
}

function query(world: SyncWorld, sql: string): Promise<void> {
  return withClient({ connectionString: world.journeyDatabaseUrl }, async (client) => void (await client.query(sql)));
}
