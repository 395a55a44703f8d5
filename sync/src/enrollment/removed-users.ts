/** Takes the access of users away in Helium whom Journey listed before and no longer does. */
import pg from 'pg';
import type { Db } from '../helium/helium-gateway.ts';
import { type CellRow, type ColumnType, type Fact, toCells } from './cells.ts';
import type { EnrollmentRound } from './enrollment-round.ts';
import { mayRemove } from './removal-brake.ts';
import { type OnRefused, updateChanged } from './write-cells.ts';

const listedUsers = '__portal_sync__.enrollment_user';
/** A condition on known users `u`; $2 are the listed ones. */
const isAbsentSql = 'not exists (select from unnest($2::uuid[]) as listed (id) where listed.id = u.user_id)';

/**
 * Saves which users Journey lists. Returns those with a row in Helium that it no longer does, in
 * this round or an earlier one. A user who was never listed is not among them.
 *
 * @param table the object of users
 * @param listed all users of a whole list
 */
export async function saveListedUsers(
  db: Db,
  round: EnrollmentRound,
  table: string,
  listed: readonly string[],
): Promise<string[]> {
  const { stateKey } = round;
  await db.query(
    `insert into ${listedUsers} as u (state_key, user_id) select $1, unnest($2::uuid[])
     on conflict (state_key, user_id) do update set is_removed = false where u.is_removed`,
    [stateKey, listed],
  );
  const { rows: counts } = await db.query<{ known: number; absent: number }>(
    `select count(*)::int as known, count(*) filter (where ${isAbsentSql})::int as absent
     from ${listedUsers} u where state_key = $1 and not is_removed`,
    [stateKey, listed],
  );
  const { known = 0, absent = 0 } = counts[0] ?? {};
  if (absent > 0 && (await mayRemove(db, round, { what: 'users', known, absent })))
    await db.query(`update ${listedUsers} u set is_removed = true where state_key = $1 and ${isAbsentSql}`, [
      stateKey,
      listed,
    ]);
  const { rows } = await db.query<{ id: string }>(
    `select u.user_id as id from ${listedUsers} u join ${pg.escapeIdentifier(table)} t on t._id_ = u.user_id
     where u.state_key = $1 and u.is_removed`,
    [stateKey],
  );
  return rows.map(({ id }) => id);
}

/**
 * Writes what is true of a removed user. Flags come first, because a text may be refused.
 *
 * @param facts by column; those without a column are skipped
 */
export async function writeRemovedUsers<Name extends string>(
  db: Db,
  { table, columns, onRefused }: { table: string; columns: ReadonlyMap<Name, ColumnType>; onRefused: OnRefused },
  ids: readonly string[],
  facts: readonly { readonly [N in Name]?: Fact }[],
): Promise<number> {
  let written = 0;
  for (const given of facts) {
    const used = new Map([...columns].filter(([field]) => given[field] !== undefined));
    const rows: CellRow[] = ids.map((id) => ({ id, cells: toCells(used, given) }));
    written += await updateChanged(db, { table, columns: [...used.values()], onRefused }, rows);
  }
  return written;
}
