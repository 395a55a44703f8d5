/** Sessions that make random changes to a few tables, from a seed. */
import pg from 'pg';
import { newId, schema } from './helium-gateway.fixture.ts';

/** Returns a number from 0 to below `below`. */
export type Dice = (below: number) => number;

export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/**
 * Ids that are used again and again, of each table. No two tables share one: Helium's trigger
 * removes log entries by the record's id alone, so a deletion would also remove those of the other
 * table.
 */
const ids = { region: createIds(), shop: createIds(), visit: createIds() };
const writtenTables = ['region', 'shop', 'visit'] as const;

function createIds(): readonly string[] {
  return Array.from({ length: 13 }, newId);
}

function pickId(dice: Dice, table: keyof typeof ids): string {
  return `'${ids[table][dice(ids[table].length)]}'`;
}

/**
 * Returns the SQL of one change to the tables `region`, `shop` (its region cannot be deleted) and
 * `visit` (deleted with its shop).
 */
function act(dice: Dice): string {
  const table = writtenTables[dice(3)] ?? 'region';
  const id = pickId(dice, table);
  const fresh = `'${newId()}'`;
  const other = pickId(dice, table);
  switch (dice(12)) {
    case 0:
    case 1:
      return `insert into ${table} (_id_, _tstamp_) values (${id}, now()) on conflict do nothing`;
    case 2:
      return `insert into ${table} (_id_, _tstamp_) values (${fresh}, now())`;
    case 3:
      return `insert into shop (_id_, _tstamp_, region_fk) select ${fresh}, now(), _id_ from region limit 1`;
    case 4:
      // PostgreSQL 11 and 12 cannot generate a UUID.
      return `insert into visit (_id_, _tstamp_, shop_fk) select md5(random()::text)::uuid, now(), _id_ from shop limit 3`;
    case 5:
      return `update ${table} set name = '${dice(1_000)}' where _id_ in (${id}, ${other})`;
    case 6:
      return `update ${table} set name = '${dice(1_000)}' where _id_ in (select _id_ from ${table} limit 5)`;
    case 7:
      return `delete from ${table} where _id_ = ${id}`;
    case 8:
      return `delete from ${table} where _id_ in (select _id_ from ${table} limit 2)`;
    case 9:
      return `delete from ${table} where _id_ = ${id}; insert into ${table} (_id_, _tstamp_) values (${id}, now()) on conflict do nothing`;
    case 10:
      return `savepoint s; update ${table} set name = 'undone'; insert into region (_id_, _tstamp_) values (${fresh}, now()); rollback to s`;
    default:
      return dice(4) > 0
        ? `update shop set region_fk = (select _id_ from region limit 1) where _id_ = ${pickId(dice, 'shop')}`
        : `copy ${table} (_id_, _tstamp_) from program 'echo "${fresh.slice(1, -1)}\\t2026-01-01"' (format csv, delimiter E'\\t')`;
  }
}

const locks = ['row exclusive', 'share row exclusive', 'exclusive', 'access exclusive'] as const;

/** The trigger function of `refuseUnloggedDeletion`. */
const unlogged = 'PT001';

/** Deadlocks, duplicate keys, missing parents: expected errors of concurrent writers. */
const comesAbout = new RegExp(`^(40P01|40001|23505|23503|55P03|${unlogged})$`);

/**
 * An existing record that is deleted, re-created and deleted again in one transaction leaves
 * nothing in Helium's log. No reader can detect it (see the races), so here the second deletion
 * fails and aborts its transaction.
 */
export function refuseUnloggedDeletion(tables: readonly string[]): string {
  const triggers = tables.map(
    (table) =>
      `create trigger refuse_unlogged before delete on ${table} for each row execute function refuse_unlogged();`,
  );
  return `create function refuse_unlogged() returns trigger language plpgsql as $$
    begin
      if old._tx_id_ = txid_current() and old._change_type_ = 'create' and exists (
        select from ${schema}.__he_sync_obj_change__
        where tx_id = txid_current() and object_uuid = old._id_ and object_name = tg_table_name and change = 'delete'
      ) then
        raise exception 'this deletion would not be logged' using errcode = '${unlogged}';
      end if;
      return old;
    end $$;
    ${triggers.join('\n')}`;
}

/**
 * Runs one transaction after the other; each is committed, rolled back, or prepared and then
 * finished.
 */
export async function writeAtRandom(session: pg.Client, name: string, transactions: number, dice: Dice): Promise<void> {
  await session.query(`set lock_timeout = '300ms'; set deadlock_timeout = '20ms'`);
  for (let index = 0; index < transactions; index += 1) {
    const acts = Array.from({ length: 1 + dice(dice(10) === 0 ? 30 : 5) }, () => act(dice));
    if (dice(25) === 0) acts.unshift(`lock table shop in ${locks[dice(locks.length)]} mode`);
    const end = dice(10);
    try {
      await session.query('begin');
      for (const sql of acts) await session.query(sql);
      if (end === 0) {
        await session.query('rollback');
      } else if (end < 3) {
        const gid = `'${name}-${index}'`;
        await session.query(`prepare transaction ${gid}`);
        await session.query('select count(*) from region');
        await session.query(`${dice(3) === 0 ? 'rollback' : 'commit'} prepared ${gid}`);
      } else {
        await session.query('commit');
      }
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !comesAbout.test(error.code ?? '')) throw error;
      await session.query('rollback');
    }
  }
}
