/**
 * Recognizes an entry of the change log that was read earlier. A restore replaces it or removes it
 * together with its number; clearing the log away removes the oldest entries and keeps the numbers.
 */
import type { ChangeLogFinding, ChangeLogPoint, Db, VersionProblem } from './helium-gateway.ts';
import { changeLog, changeSequence, qualified, transactionLog } from './sql-names.ts';

export const entryColumns = `seq::text, object_name as "table", object_uuid::text as id, tx_id::text as "txId"`;

/** A subselect for the entry with this number, as JSON; null when there is none. */
export function entrySql(schema: string, seq: string): string {
  return `(select row_to_json(entry) from (
    select ${entryColumns} from ${qualified(schema, changeLog)} where seq = ${seq}) entry)`;
}

/** A subselect for the newest visible entry, as JSON; null when there is none. */
export function headSql(schema: string): string {
  const log = qualified(schema, changeLog);
  return entrySql(schema, `(select max(seq) from ${log})`);
}

/** @param entry the log's entry with the point's number; null when there is none */
export function isUnchanged(entry: ChangeLogPoint | null, point: ChangeLogPoint): boolean {
  if (point.isCleared || entry === null) return Boolean(point.isCleared) && entry === null;
  return entry.table === point.table && entry.id === point.id && entry.txId === point.txId;
}

interface Facts {
  readonly entry: ChangeLogPoint | null;
  /** The log's first and last number; null when it is empty. */
  readonly oldest: string | null;
  readonly newest: string | null;
  /** The last number drawn; null when none was, or when it is not visible. */
  readonly drawn: string | null;
}

export async function findPoint(db: Db, schema: string, point: ChangeLogPoint): Promise<ChangeLogFinding> {
  const log = qualified(schema, changeLog);
  const { rows } = await db.query<Facts>(
    `select ${entrySql(schema, '$1::bigint')} as entry, (select min(seq)::text from ${log}) as oldest,
      (select max(seq)::text from ${log}) as newest, pg_sequence_last_value(to_regclass($2))::text as drawn`,
    [point.seq, qualified(schema, changeSequence)],
  );
  const { entry = null, oldest = null, newest = null, drawn = null } = rows[0] ?? {};
  const restored = (evidence: string, asOf: Date | null = null) => ({ kind: 'restored', evidence, asOf }) as const;
  if (entry)
    return isUnchanged(entry, point)
      ? { kind: 'proven' }
      : restored(`Entry ${point.seq} of its change log is not the one that was read.`);
  const seq = BigInt(point.seq);
  const end = BigInt(drawn ?? newest ?? 0);
  if (end < seq)
    return restored(
      `Its change log ends at entry ${newest ?? 0}, and entry ${point.seq} was already read.`,
      newest === null ? null : await readEntryTime(db, schema, newest),
    );
  if (oldest !== null && BigInt(oldest) < seq)
    return restored(`Entry ${point.seq} of its change log was read and is missing now, while older ones are there.`);
  if (point.isCleared) return { kind: 'proven' };
  return { kind: 'cleared', point: { ...point, isCleared: true }, isLast: end === seq };
}

/** Returns why the change log cannot be read from a given version; null when it can. */
export async function findVersionProblem(db: Db, schema: string, version: string): Promise<VersionProblem | null> {
  if (version === '0') return null;
  const { rows } = await db.query<Pick<Facts, 'oldest' | 'drawn'>>(
    `select min(seq)::text as oldest,
      coalesce(pg_sequence_last_value(to_regclass($1)), max(seq), 0)::text as drawn from ${qualified(schema, changeLog)}`,
    [qualified(schema, changeSequence)],
  );
  const { oldest = null, drawn } = rows[0] ?? {};
  const end = drawn ?? '0';
  if (BigInt(end) < BigInt(version))
    return {
      isAhead: true,
      reason: `Helium's change log has not reached version ${version} yet: it ends at ${end}. Use ${end} or a smaller version.`,
    };
  const next = BigInt(version) + 1n;
  if (BigInt(end) < next || (oldest !== null && BigInt(oldest) <= next)) return null;
  return {
    isAhead: false,
    reason: `Helium's change log no longer holds what follows version ${version}: its oldest entries were deleted. Use a later version, or 0 to read everything.`,
  };
}

/** Other transactions may have written later entries since then, but not as many as this. */
const newestEntries = 10_000;

/**
 * Returns the last entry this transaction has just written; null when there is none. Helium's log
 * has no index on the transaction, so only its newest entries are searched.
 */
export async function readOwnPoint(db: Db, schema: string): Promise<ChangeLogPoint | null> {
  const { rows } = await db.query<ChangeLogPoint>(
    `select ${entryColumns} from (
       select * from ${qualified(schema, changeLog)} order by seq desc limit ${newestEntries}
     ) newest
     where tx_id = txid_current() order by newest.seq desc limit 1`,
  );
  return rows[0] ?? null;
}

/**
 * Returns when an entry was written, by the transaction log or the row it names; null if unknown.
 */
async function readEntryTime(db: Db, schema: string, seq: string): Promise<Date | null> {
  const { rows } = await db.query<{ table: string; id: string; at: Date | null; hasTable: boolean }>(
    `select object_name as "table", object_uuid as id,
      (select max(tx_tstamp) from ${qualified(schema, transactionLog)} t where t.tx_id = entry.tx_id) as at,
      to_regclass(format('%I.%I', $2::text, object_name)) is not null as "hasTable"
     from ${qualified(schema, changeLog)} entry where seq = $1`,
    [seq, schema],
  );
  const [entry] = rows;
  if (!entry?.hasTable || entry.at) return entry?.at ?? null;
  const { rows: written } = await db.query<{ at: Date }>(
    `select _tstamp_ at time zone 'UTC' as at from ${qualified(schema, entry.table)} where _id_ = $1`,
    [entry.id],
  );
  return written[0]?.at ?? null;
}
