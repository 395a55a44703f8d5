import type { SyncStatus } from '@portal/contract/sync-integration';
import { inTransaction, type Pool } from '@portal/kit/postgres/pool';
import { storableText } from '@portal/kit/postgres/storable-text';

/** The newest so many lines of each integration are kept. */
export const keptLines = 20_000;
/** They are looked at for trimming once in so many lines. */
const trimEvery = 1_000;

export interface NewLine {
  readonly no: string;
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
 * Writes lines of any integrations, numbered on from the last of each; those of integrations that are gone are dropped.
 * The lock on an integration's last number is held until its lines can be seen, so that who reads on from a number
 * misses none; the locks are taken in one order, so that two processes never wait for each other.
 */
export async function appendLines(pool: Pool, lines: readonly NewLine[]): Promise<void> {
  const nos = [...new Set(lines.map(({ no }) => no))];
  await inTransaction(pool, async (client) => {
    await client.query(
      'select from sync.log_head where integration_no = any($1::bigint[]) order by integration_no for update',
      [nos],
    );
    const { rows } = await client.query<{ no: string; last_seq: string; count: number }>(
      `with line as (
         select no, at_ms, key, value, row_number() over (partition by no order by position) as position
         from unnest($1::bigint[], $2::float8[], $3::text[], $4::text[])
              with ordinality as l (no, at_ms, key, value, position)
       ), counted as (
         select no, count(*) as count from line group by no
       ), head as (
         update sync.log_head h set last_seq = h.last_seq + c.count
         from counted c where h.integration_no = c.no returning c.no, h.last_seq, c.count
       ), written as (
         insert into sync.log (integration_no, seq, at, key, value)
         select l.no, h.last_seq - h.count + l.position, to_timestamp(l.at_ms / 1000), l.key, l.value
         from line l join head h on h.no = l.no
       )
       select no, last_seq, count::int as count, pg_notify('sync_log', no::text) from head`,
      [
        lines.map(({ no }) => no),
        lines.map(({ atMs }) => atMs),
        lines.map(({ key }) => storableText(key)),
        lines.map(({ value }) => storableText(value)),
      ],
    );
    for (const { no, last_seq, count } of rows) {
      const last = Number(last_seq);
      if (Math.floor(last / trimEvery) === Math.floor((last - count) / trimEvery)) continue;
      await client.query('delete from sync.log where integration_no = $1 and seq <= $2', [no, last - keptLines]);
    }
  });
}

/** The lines behind `after`, oldest first. */
export async function readLines(pool: Pool, no: string, after: number, limit: number): Promise<StoredLine[]> {
  const { rows } = await pool.query<{ seq: string; at: Date; key: string; value: string }>(
    'select seq, at, key, value from sync.log where integration_no = $1 and seq > $2 order by seq limit $3',
    [no, after, limit],
  );
  return rows.map(({ seq, at, key, value }) => ({ seq: Number(seq), millis: at.getTime(), key, value }));
}

/** How far the logs have come, and whether their integrations still are; those that are gone are left out. */
export async function readLogHeads(
  pool: Pool,
  nos: readonly string[],
): Promise<readonly { readonly no: string; readonly status: SyncStatus; readonly lastSeq: number }[]> {
  const { rows } = await pool.query<{ no: string; status: SyncStatus; last_seq: string }>(
    `select i.no, i.status, h.last_seq from sync.integration i join sync.log_head h on h.integration_no = i.no
     where i.no = any($1::bigint[])`,
    [nos],
  );
  return rows.map(({ no, status, last_seq }) => ({ no, status, lastSeq: Number(last_seq) }));
}
