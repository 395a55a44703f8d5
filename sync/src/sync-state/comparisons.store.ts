/** What the comparison of both sides asks of the state, and what it leaves there. */
import type { DriftPoint } from '@portal/contract/sync-drift';
import pg from 'pg';
import type { Db, HeliumEnd } from '../helium/helium-end.ts';
import { keyText, type RecordKey } from '../record/record-key.ts';
import { keyColumns } from './array-parameters.ts';

/** Ids of rows and of known records behind one id, in order; null: from the first. */
export async function readIdsOfBoth(
  { pool, schema }: Pick<HeliumEnd, 'pool' | 'schema'>,
  run: number,
  table: string,
  { afterId, limit }: { readonly afterId: string | null; readonly limit: number },
): Promise<string[]> {
  const rows = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`;
  const { rows: found } = await pool.query<{ id: string }>(
    `(select _id_::text as id from ${rows} where $3::uuid is null or _id_ > $3 order by _id_ limit $4)
     union
     (select id::text from __portal_sync__.record
      where run = $1 and table_name = $2 and journey is not null and ($3::uuid is null or id > $3) order by id limit $4)
     order by id limit $4`,
    [run, table, afterId, limit],
  );
  return found.map(({ id }) => id);
}

/** Those that are dirty or held: they are known to differ. */
export async function isInFlight(db: Db, run: number, keys: readonly RecordKey[]): Promise<Set<string>> {
  const { rows } = await db.query(
    `select k.table_name as "table", k.id::text from unnest($2::text[], $3::uuid[]) as k (table_name, id)
     where exists (select from __portal_sync__.dirty d where d.run = $1 and d.table_name = k.table_name and d.id = k.id)
        or exists (select from __portal_sync__.held h where h.run = $1 and h.table_name = k.table_name and h.id = k.id)`,
    [run, ...keyColumns(keys)],
  );
  return new Set(rows.map(keyText));
}

/** Whether a comparison is wished; asking takes the wish away. An older engine is told nothing. */
export async function takeAuditWish(db: Db, run: number, fence: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update __portal_sync__.run set audit_wished_at = null where no = $1 and fence = $2 and audit_wished_at is not null',
    [run, fence],
  );
  return (rowCount ?? 0) > 0;
}

/** How long ago the last comparison of a table ended, in milliseconds; null: there was none. */
export async function readAuditAgeMs(db: Db, run: number): Promise<number | null> {
  const { rows } = await db.query(
    `select (extract(epoch from now() - max(at)) * 1000)::float8 as age from __portal_sync__.audit where run = $1`,
    [run],
  );
  return rows[0]?.age ?? null;
}

/** A month of it is kept, and of no table more than so many: whoever has both sides compared all day long keeps the newest. */
const keptDays = 30;
const keptPoints = 100;

/** Keeps what one comparison found of a table. */
export async function addDriftPoint(db: Db, run: number, point: Omit<DriftPoint, 'at'>): Promise<void> {
  const { table, helium, journey, drifted } = point;
  await db.query(
    'insert into __portal_sync__.audit (run, table_name, helium, journey, drifted) values ($1, $2, $3, $4, $5)',
    [run, table, helium, journey, drifted],
  );
  await db.query(
    `delete from __portal_sync__.audit where run = $1 and (at < now() - interval '${keptDays} days' or table_name = $2 and no <= (
       select no from __portal_sync__.audit where run = $1 and table_name = $2 order by no desc offset ${keptPoints} limit 1))`,
    [run, table],
  );
}

/** Per table, the oldest first. */
export async function listDriftPoints(db: Db, run: number): Promise<DriftPoint[]> {
  const { rows } = await db.query(
    `select table_name as "table", at, helium, journey, drifted from __portal_sync__.audit
     where run = $1 and at >= now() - interval '${keptDays} days' order by table_name, no`,
    [run],
  );
  return rows.map(({ at, ...rest }) => ({ ...rest, at: at.toISOString() }));
}
