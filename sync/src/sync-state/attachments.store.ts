/** Stores which files both sides have, by Journey's id, and where Helium has their bytes. */
import type pg from 'pg';
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import type { KnownAttachments } from '../journey/known-attachments.ts';
import type { RecordKey } from '../record/record-key.ts';

export function openKnownAttachments(pool: pg.Pool, stateId: number): KnownAttachments {
  return {
    async get(ids) {
      const { rows } = await pool.query<{ journey_id: string; value: string }>(
        'select journey_id, value from __portal_sync__.attachment where state_id = $1 and journey_id = any($2)',
        [stateId, ids],
      );
      return new Map(rows.map(({ journey_id, value }) => [journey_id, value]));
    },
  };
}

export interface KnownAttachment {
  readonly journeyId: string;
  /** See `record/file-value.ts`. */
  readonly value: string;
  readonly key: RecordKey;
  readonly column: string;
  /** Whether the whole file ends without the end mark of its format. */
  readonly lacksEnd: boolean;
}

/** Remembers files that both sides have. */
export async function saveAttachments(db: Db, stateId: number, files: readonly KnownAttachment[]): Promise<void> {
  // One statement cannot change the same row twice.
  const byId = new Map(
    files.map(({ journeyId, value, key, column, lacksEnd }) => [
      journeyId,
      { journeyId, value, ...key, column, lacksEnd },
    ]),
  );
  if (byId.size === 0) return;
  await db.query(
    `insert into __portal_sync__.attachment (state_id, journey_id, value, table_name, id, column_name, lacks_end)
     select $1, f."journeyId", f.value, f."table", f.id, f."column", f."lacksEnd"
     from jsonb_to_recordset($2) as f ("journeyId" text, value text, "table" text, id uuid, "column" text,
       "lacksEnd" boolean)
     on conflict (state_id, journey_id) do update set value = excluded.value, table_name = excluded.table_name,
       id = excluded.id, column_name = excluded.column_name, lacks_end = excluded.lacks_end`,
    [stateId, JSON.stringify([...byId.values()])],
  );
}

/** Returns where Helium had this file last; undefined when it never did. */
export async function findAttachment(db: Db, stateId: number, journeyId: string): Promise<KnownAttachment | undefined> {
  const { rows } = await db.query<{ value: string; table: string; id: string; column: string; lacksEnd: boolean }>(
    `select value, table_name as "table", id::text, column_name as "column", lacks_end as "lacksEnd"
     from __portal_sync__.attachment
     where state_id = $1 and journey_id = $2`,
    [stateId, journeyId],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { value, table, id, column, lacksEnd } = row;
  return { journeyId, value, key: { table, id }, column, lacksEnd };
}

/**
 * Returns those of these contents, as `sha256:<hex>`, that are known to be whole without an end
 * mark.
 */
export async function findWithoutEnd(db: Db, stateId: number, hashes: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ hash: string }>(
    `select distinct split_part(value, '/', 1) as hash from __portal_sync__.attachment
     where state_id = $1 and lacks_end and split_part(value, '/', 1) = any($2)`,
    [stateId, hashes],
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** Forgets files by their contents, as `sha256:<hex>`, so that they are downloaded again. */
export async function deleteAttachments(db: Db, stateId: number, hashes: readonly string[]): Promise<void> {
  await removeRows(
    db,
    'attachment',
    `select ctid from __portal_sync__.attachment where state_id = $1 and split_part(value, '/', 1) = any($2) for update`,
    [stateId, hashes],
  );
}
