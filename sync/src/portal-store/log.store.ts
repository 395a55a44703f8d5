import type { SyncStatus } from '@portal/contract/sync/integration';
import { inTransaction, type Pool } from '@portal/kit/postgres/pool';
import { toStorableText } from '@portal/kit/postgres/storable-text';

/** Number of lines stored per integration; older ones are deleted. */
export const maxStoredLines = 20_000;
const maxFoundLineLength = 1_000;
/** A log is trimmed once per this many lines. */
const trimInterval = 1_000;

export interface NewLine {
  readonly id: string;
  readonly atMs: number;
  readonly key: string;
  readonly value: string;
}

export interface StoredLine {
  readonly seq: number;
  readonly millis: number;
  readonly key: string;
  readonly value: string;
}

/**
 * Appends lines of any integrations and continues each log's numbering. Lines of deleted
 * integrations are dropped. The lock on a log's last number is held until its lines are visible, so
 * that a reader that continues from a number misses none. Locks are taken in a fixed order, which
 * prevents deadlocks between processes.
 */
export async function appendLines(pool: Pool, lines: readonly NewLine[]): Promise<void> {
  const ids = [...new Set(lines.map(({ id }) => id))];
  await inTransaction(pool, async (client) => {
    await client.query(
      'select from sync.log_head where integration_id = any($1::bigint[]) order by integration_id for update',
      [ids],
    );
    const { rows } = await client.query<{ id: string; last_seq: string; count: number }>(
      `with line as (
         select id, at_ms, key, value, row_number() over (partition by id order by position) as position
         from unnest($1::bigint[], $2::float8[], $3::text[], $4::text[])
              with ordinality as l (id, at_ms, key, value, position)
       ), counted as (
         select id, count(*) as count from line group by id
       ), head as (
         update sync.log_head h set last_seq = h.last_seq + c.count
         from counted c where h.integration_id = c.id returning c.id, h.last_seq, c.count
       ), written as (
         insert into sync.log (integration_id, seq, at, key, value)
         select l.id, h.last_seq - h.count + l.position, to_timestamp(l.at_ms / 1000), l.key, l.value
         from line l join head h on h.id = l.id
       )
       select id, last_seq, count::int as count, pg_notify('sync_log', id::text) from head`,
      [
        lines.map(({ id }) => id),
        lines.map(({ atMs }) => atMs),
        lines.map(({ key }) => toStorableText(key)),
        lines.map(({ value }) => toStorableText(value)),
      ],
    );
    for (const { id, last_seq, count } of rows) {
      const last = Number(last_seq);
      if (Math.floor(last / trimInterval) === Math.floor((last - count) / trimInterval)) continue;
      await client.query('delete from sync.log where integration_id = $1 and seq <= $2', [id, last - maxStoredLines]);
    }
  });
}

/** Returns the lines after `after`, oldest first. */
export async function readLines(pool: Pool, id: string, after: number, limit: number): Promise<StoredLine[]> {
  const { rows } = await pool.query<{ seq: string; at: Date; key: string; value: string }>(
    'select seq, at, key, value from sync.log where integration_id = $1 and seq > $2 order by seq limit $3',
    [id, after, limit],
  );
  return rows.map(({ seq, at, key, value }) => ({ seq: Number(seq), millis: at.getTime(), key, value }));
}

/** Returns the newest lines that contain the text, the newest first. */
export async function findLines(pool: Pool, id: string, text: string, limit: number): Promise<StoredLine[]> {
  const { rows } = await pool.query<{ seq: string; at: Date; key: string; value: string }>(
    `select seq, at, key, left(value, ${maxFoundLineLength}) as value from sync.log
     where integration_id = $1 and position($2 in value) > 0 order by seq desc limit $3`,
    [id, text, limit],
  );
  return rows.map(({ seq, at, key, value }) => ({ seq: Number(seq), millis: at.getTime(), key, value }));
}

/**
 * Returns the last number of each log and the status of its integration. Deleted integrations are
 * missing.
 */
export async function readLogHeads(
  pool: Pool,
  ids: readonly string[],
): Promise<readonly { readonly id: string; readonly status: SyncStatus; readonly lastSeq: number }[]> {
  const { rows } = await pool.query<{ id: string; status: SyncStatus; last_seq: string }>(
    `select i.id, i.status, h.last_seq from sync.integration i join sync.log_head h on h.integration_id = i.id
     where i.id = any($1::bigint[])`,
    [ids],
  );
  return rows.map(({ id, status, last_seq }) => ({ id, status, lastSeq: Number(last_seq) }));
}
