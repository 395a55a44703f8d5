/** The one row of an integration: where both directions have come to, and who may move them on. */
import type { Db } from '../helium/helium-end.ts';
import { LeaseLost } from '../integrations/run.ts';

export interface Snapshot {
  readonly direction: 'helium-to-journey' | 'journey-to-helium';
  /** Where the log is read from when everything is there. */
  readonly head: string;
  /** Objects that are done, and how far the present one is. */
  readonly done: readonly string[];
  readonly table: string | null;
  readonly afterId: string | null;
  readonly count: number;
}

export interface RunRow {
  readonly changeLogCursor: string;
  readonly opLogCursor: string;
  readonly snapshot: Snapshot | null;
}

const COLUMNS = `no, change_log_cursor::text as "changeLogCursor", op_log_cursor::text as "opLogCursor", snapshot`;

/**
 * Takes the integration for this fencing number; a row is made at the first time. Throws LeaseLost when a newer one has it.
 *
 * @param from versions to begin from; '0' everything there is
 */
export async function takeRun(
  db: Db,
  appId: string,
  fence: string,
  from: { readonly changeLog: string; readonly opLog: string },
): Promise<RunRow & { readonly no: number }> {
  const { rows } = await db.query(
    `insert into __portal_sync__.run as r (app_id, fence, change_log_cursor, op_log_cursor) values ($1, $2, $3, $4)
     on conflict (app_id) do update set fence = excluded.fence where r.fence <= excluded.fence
     returning ${COLUMNS}`,
    [appId, fence, from.changeLog, from.opLog],
  );
  const [row] = rows;
  if (!row) throw new LeaseLost('Another process runs this integration now.');
  return row;
}

/** Holds the row until the transaction ends, so that the two directions never change one record's state at once. */
export async function lockRun(db: Db, run: number, fence: string): Promise<RunRow> {
  const { rows } = await db.query(
    `select ${COLUMNS} from __portal_sync__.run where no = $1 and fence = $2 for update`,
    [run, fence],
  );
  const [row] = rows;
  if (!row) throw new LeaseLost('Another process runs this integration now.');
  return row;
}

export async function saveRun(
  db: Db,
  run: number,
  change: { readonly changeLogCursor?: string; readonly opLogCursor?: string; readonly snapshot?: Snapshot | null },
): Promise<void> {
  await db.query(
    `update __portal_sync__.run set
       change_log_cursor = coalesce($2::bigint, change_log_cursor),
       op_log_cursor = coalesce($3::numeric, op_log_cursor),
       snapshot = case when $4 then $5::jsonb else snapshot end
     where no = $1`,
    [
      run,
      change.changeLogCursor ?? null,
      change.opLogCursor ?? null,
      change.snapshot !== undefined,
      change.snapshot ? JSON.stringify(change.snapshot) : null,
    ],
  );
}

/** Takes away everything that is kept of an integration. */
export async function dropRun(db: Db, appId: string): Promise<void> {
  await db.query('delete from __portal_sync__.run where app_id = $1', [appId]);
}
