/** Reads fingerprints of many apps at once: one that differs means that something has changed. */
import { namedQuery } from '@portal/kit/postgres/named-query';
import type { Db } from '../helium/helium-gateway.ts';
import { digestedCatalogSql } from '../helium/read-catalog.ts';
import { changeLog } from '../helium/sql-names.ts';
import { knownTablesSql, oidsSql, type StateInSchema } from './helium-proof.store.ts';

export interface AppFingerprint {
  /** Of its tables and their columns. */
  readonly catalog: string;
  /**
   * Of the stored state of its sync, the files of its tables, and the entries that its change log
   * has lost.
   */
  readonly state: string;
}

/**
 * Writes go to children of the change log. Counters show what was removed without locking the log,
 * which a statement for many apps must never wait for. Where `track_counts` is off, an entry that
 * was removed is noticed when the loop to Journey next looks at the log.
 */
const logSql = `select string_agg(concat_ws(':', part, pg_relation_filenode(part),
    pg_stat_get_tuples_updated(part), pg_stat_get_tuples_deleted(part)), ',' order by part)
  from (select (found.tables->'${changeLog}'->>0)::oid as log) parent,
    lateral (select log as part union all select inhrelid from pg_inherits where inhparent = log) parts`;

const fingerprintsSql = `
select catalog.digest as catalog,
  md5(concat_ws(' ', r.revision, r.change_log_point, r.sent_point, r.helium_identity, found.state, found.tables, (${logSql}),
    exists (select from __portal_sync__.dirty d where d.state_id = r.state_id))) as state
from unnest($1::int[], $2::text[]) with ordinality as app (state_id, schema, position)
left join __portal_sync__.run r on r.state_id = app.state_id,
  lateral (${digestedCatalogSql('app.schema')}) catalog,
  lateral (select ${oidsSql('app.schema', knownTablesSql)}) found
order by app.position`;

/** Returns the fingerprints in the order of the apps. */
export async function readFingerprints(db: Db, apps: readonly StateInSchema[]): Promise<AppFingerprint[]> {
  const values = [apps.map(({ stateId }) => stateId), apps.map(({ schema }) => schema)];
  const { rows } = await db.query<AppFingerprint>(namedQuery('helium_fingerprints', fingerprintsSql, values));
  return rows;
}
