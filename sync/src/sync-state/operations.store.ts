/** The parts of an integration's state that operators read and change. */
import type { ResponseOf } from '@portal/contract/endpoint';
import type { ConflictField, getConflicts, SyncConflict } from '@portal/contract/sync/conflicts';
import type { HeldRecord, SyncDirection } from '@portal/contract/sync/records';
import type { Db } from '../helium/helium-gateway.ts';
import { LeaseLostError } from '../integration/lease-lost-error.ts';
import type { ConflictFilter } from '../integration/operator-actions.ts';
import { countConflictsSql } from './conflicts.store.ts';
import { createSnapshot, type Snapshot } from './runs.store.ts';
import { hasState } from './schema.ts';

/**
 * Returns the id of an integration's state; null when it has never run. Throws for a state of
 * another version.
 */
export async function findStateId(db: Db, key: string): Promise<number | null> {
  if (!(await hasState(db))) return null;
  const { rows } = await db.query('select state_id from __portal_sync__.run where state_key = $1', [key]);
  return rows[0]?.state_id ?? null;
}

interface Page {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Lists held records, oldest first. */
export async function listHeld(
  db: Db,
  stateId: number,
  { after, limit, state }: Page & { readonly state?: string | undefined },
): Promise<{ records: HeldRecord[]; total: number }> {
  const { rows } = await db.query(
    `${selectHeldSql}
     where h.state_id = $1 and ($2::text is null or h.state = $2) and ($3::bigint is null or h.number > $3)
     order by h.number limit $4`,
    [stateId, state ?? null, after ?? null, limit],
  );
  const { rows: counted } = await db.query(
    'select count(*)::int as total from __portal_sync__.held where state_id = $1 and ($2::text is null or state = $2)',
    [stateId, state ?? null],
  );
  return { records: rows.map(toHeldRecord), total: counted[0]?.total ?? 0 };
}

/** Selects the held records `h` in the form of `HeldRow`. */
export const selectHeldSql = `select h.number::text as no, h.direction, h.state, h.table_name as "table", h.id::text,
    h.kind, h.reason, h.missing, h.attempts, h.since, h.last_tried as "lastTried", h.retry_at as "nextAttempt", h.helium,
    coalesce(r.journey, h.journey::json) as journey
  from __portal_sync__.held h
  left join __portal_sync__.record r on r.state_id = h.state_id and r.table_name = h.table_name and r.id = h.id`;

export interface HeldRow extends Omit<HeldRecord, 'since' | 'lastTried' | 'nextAttempt'> {
  readonly since: Date;
  readonly lastTried: Date;
  readonly nextAttempt: Date | null;
}

export function toHeldRecord({ since, lastTried, nextAttempt, ...rest }: HeldRow): HeldRecord {
  return {
    ...rest,
    since: since.toISOString(),
    lastTried: lastTried.toISOString(),
    nextAttempt: nextAttempt?.toISOString() ?? null,
  };
}

/** Lists conflicts, newest first, and counts those to review by field. */
export async function listConflicts(
  db: Db,
  stateId: number,
  { after, limit, isReviewed, field }: Page & ConflictFilter,
): Promise<ResponseOf<typeof getConflicts>> {
  const conditions = [
    ...(isReviewed === undefined ? [] : [`reviewed_at is ${isReviewed ? 'not null' : 'null'}`]),
    ...(field
      ? ['table_name = $2 and column_name is not distinct from $3']
      : ['$2::text is null and $3::text is null']),
  ].join(' and ');
  const values = [stateId, field?.table ?? null, field?.column ?? null];
  const { rows } = await db.query<ConflictRow>(
    `${selectConflictsSql} where state_id = $1 and ${conditions} and ($4::bigint is null or number < $4)
     order by number desc limit $5`,
    [...values, after ?? null, limit],
  );
  const { rows: counted } = await db.query(`select (${countConflictsSql(conditions)}) as total`, values);
  const { rows: fields } = await db.query<ConflictField & { readonly count: number }>(
    `select table_name as "table", column_name as "column", count(*)::int as count from __portal_sync__.conflict
     where state_id = $1 and reviewed_at is null group by 1, 2 order by 3 desc, 1, 2 limit ${maxListedFields}`,
    [stateId],
  );
  return { conflicts: rows.map(toConflict), total: counted[0]?.total ?? 0, fields };
}

const maxListedFields = 50;

/** Selects conflicts in the form of `ConflictRow`. */
export const selectConflictsSql = `select number::text as no, at, table_name as "table", id::text,
  column_name as "column", helium, journey, winner, waits as open,
  reviewed_at as "reviewedAt", reviewed_by as "reviewedBy", reviewed_value as "reviewedValue",
  (select coalesce(json_agg(json_build_object('no', f.number::text, 'column', f.column_name, 'side', f.side,
      'fileName', coalesce(nullif(f.file_name, ''), f.column_name), 'mediaType', coalesce(f.media_type, ''), 'size', f.size)
      order by f.number), '[]')
    from __portal_sync__.conflict_file f where f.conflict = conflict.number) as files
  from __portal_sync__.conflict`;

export interface ConflictRow extends Omit<SyncConflict, 'at' | 'review'> {
  readonly at: Date;
  readonly reviewedAt: Date | null;
  readonly reviewedBy: string;
  readonly reviewedValue: NonNullable<SyncConflict['review']>['value'];
}

export function toConflict({ at, reviewedAt, reviewedBy, reviewedValue, ...rest }: ConflictRow): SyncConflict {
  const review = reviewedAt && { at: reviewedAt.toISOString(), by: reviewedBy, value: reviewedValue };
  return { ...rest, at: at.toISOString(), review };
}

export interface Selection {
  readonly numbers: readonly string[] | null;
  readonly kind: string | null;
}

const selected = `h.state_id = $1 and (h.number = any($2::bigint[]) or h.kind = $3)`;

/** Schedules a retry: Journey's state is merged again, Helium's row is sent again. */
export async function requestRetry(db: Db, stateId: number, { numbers, kind }: Selection): Promise<number> {
  const { rows } = await db.query(
    `with chosen as (
       update __portal_sync__.held h set retry_at = now(), state = case when state = 'skipped' then 'dead' else state end
       where ${selected} returning direction, table_name, id
     ), marked as (
       insert into __portal_sync__.dirty (state_id, table_name, id)
       select $1, table_name, id from chosen where direction = 'helium-to-journey'
       on conflict (state_id, table_name, id) do update set mark = excluded.mark
     )
     select count(*)::int as records from chosen`,
    [stateId, numbers, kind],
  );
  return rows[0]?.records ?? 0;
}

/** Skips held records until they change again. */
export async function markSkipped(db: Db, stateId: number, { numbers, kind }: Selection): Promise<number> {
  const { rowCount } = await db.query(
    `update __portal_sync__.held h set state = 'skipped', retry_at = null where ${selected} and state <> 'skipped'`,
    [stateId, numbers, kind],
  );
  return rowCount ?? 0;
}

/**
 * Continues from another version. From a smaller one, and from 0, the next run reads everything of
 * this direction as it is: the cursor and the entry it points at stay, because they prove that no
 * side was restored. Throws LeaseLostError when a run with a newer fence owns the integration.
 */
export async function saveCursor(
  db: Db,
  stateId: number,
  to: { readonly fence: string; readonly direction: SyncDirection; readonly version: string },
): Promise<void> {
  const { cursor, fullRead } =
    to.direction === 'helium-to-journey'
      ? { cursor: 'change_log_cursor', fullRead: 'snapshot_to_journey' }
      : { cursor: 'op_log_cursor', fullRead: 'snapshot_to_helium' };
  const requested: Snapshot = { ...createSnapshot([], null), isRequested: true };
  if (to.direction === 'helium-to-journey') await supersedePassedOver(db, stateId, to);
  const { rowCount } = await db.query(
    `update __portal_sync__.run set fence = $2,
       ${cursor} = greatest(${cursor}, $3::numeric),
       ${fullRead} = case when $3 = 0 or $3 < ${cursor} then $4::jsonb when $3 = ${cursor} then ${fullRead} end,
       -- Entries may be passed over: a record that is not known may be in Journey.
       complete_tables = case when $5 then complete_tables else '{}' end
     where state_id = $1 and fence <= $2`,
    [stateId, to.fence, to.version, JSON.stringify(requested), to.direction === 'helium-to-journey'],
  );
  if (rowCount === 0) throw new LeaseLostError('Another process runs this integration now.');
}

/**
 * Supersedes all unanswered writes when entries are passed over. No page sends those of these
 * entries again, and as long as they count as under way, comparisons leave their records out. The
 * others are sent again as before: their records are still marked.
 */
async function supersedePassedOver(
  db: Db,
  stateId: number,
  { fence, version }: { readonly fence: string; readonly version: string },
): Promise<void> {
  await db.query(
    `update __portal_sync__.intent i set is_superseded = true from __portal_sync__.run r
     where r.state_id = $1 and r.fence <= $2 and r.change_log_cursor < $3::numeric
       and i.state_id = r.state_id and i.call = any(r.open_calls::bigint[]) and not i.is_superseded`,
    [stateId, fence, version],
  );
}

export async function requestComparison(db: Db, stateId: number): Promise<void> {
  await db.query('update __portal_sync__.run set comparison_requested_at = now() where state_id = $1', [stateId]);
}
