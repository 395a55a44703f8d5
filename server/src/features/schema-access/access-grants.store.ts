import type { AccessGrant } from '@portal/contract/schema-access';
import type { Pool } from '@portal/kit/postgres/pool';
import { type SchemaState, schemaStateSchema } from '@portal/platforms/helium-database/schema-access/schema-state';

/** The location of a schema. */
export interface SchemaLocation {
  readonly environment: string;
  readonly dataSource: string;
  readonly schemaName: string;
}

/** A grant with its actions, of which there may be thousands. */
export interface StoredGrant extends AccessGrant {
  readonly actions: readonly string[];
}

/** A grant or revert whose outcome is known only to the data source. */
export interface OpenGrant extends SchemaLocation {
  readonly id: string;
  readonly state: 'running' | 'reverting';
}

export interface NewGrant extends SchemaLocation {
  readonly appId: string;
  readonly appName: string;
  readonly team: string;
  readonly appRole: string;
  readonly previousOwner: string;
  readonly grantedBy: string;
  readonly reason: string | null;
  readonly actions: readonly string[];
  readonly counts: AccessGrant['counts'];
  readonly before: SchemaState;
  readonly xid: string;
}

const instant = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const atLocation = `environment = $1 AND data_source = $2 AND schema_name = $3`;
const toLocationValues = ({ environment, dataSource, schemaName }: SchemaLocation) => [
  environment,
  dataSource,
  schemaName,
];

const grantColumns = `id::text, CASE state WHEN 'reverting' THEN 'running' ELSE state END AS state,
  data_source AS "dataSource", schema_name AS "schemaName", app_id AS "appId", app_name AS "appName", team,
  ${instant('granted_at')} AS "grantedAt", granted_by AS "grantedBy", reason, ${instant('ended_at')} AS "endedAt",
  ended_by AS "endedBy", end_reason AS "endReason", previous_owner AS "previousOwner", counts`;

/** Newest first. */
export async function listGrants(
  pool: Pool,
  environment: string,
  appIds: readonly string[],
  limit: number,
): Promise<AccessGrant[]> {
  const { rows } = await pool.query<AccessGrant>(
    `select ${grantColumns} from access_grants where environment = $1 and app_id = any ($2)
     order by access_grants.id desc limit $3`,
    [environment, appIds, limit],
  );
  return rows;
}

export async function findGrant(pool: Pool, environment: string, id: string): Promise<StoredGrant | undefined> {
  const { rows } = await pool.query<StoredGrant>(
    `select ${grantColumns}, actions from access_grants where environment = $1 and id::text = $2`,
    [environment, id],
  );
  return rows[0];
}

/** Reads the state of the schema before the grant. */
export async function readBefore(pool: Pool, id: string): Promise<SchemaState> {
  const { rows } = await pool.query('select before from access_grants where id = $1', [id]);
  return schemaStateSchema.parse(rows[0]?.before);
}

/**
 * Reads what is recorded about a schema: its app's role, every team that was ever granted access,
 * and the newest active grant.
 */
export async function readRecord(
  pool: Pool,
  where: SchemaLocation,
): Promise<{
  readonly appRole: string | undefined;
  readonly teams: readonly string[];
  readonly newest: string | undefined;
}> {
  const { rows } = await pool.query<{ appRole: string | null; teams: string[]; newest: string | null }>(
    `select (select app_role from access_grants where ${atLocation} order by id desc limit 1) as "appRole",
       (select max(id)::text from access_grants where ${atLocation} and state in ('granted', 'running', 'reverting')) as newest,
       array(select distinct team from access_grants where ${atLocation}) as teams`,
    toLocationValues(where),
  );
  const [record] = rows;
  return { appRole: record?.appRole ?? undefined, teams: record?.teams ?? [], newest: record?.newest ?? undefined };
}

/**
 * Records a grant before the data source commits, so that no grant goes unrecorded. Returns its id.
 */
export async function addRunning(pool: Pool, grant: NewGrant): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into access_grants (environment, data_source, schema_name, app_id, app_name, team, app_role, previous_owner,
       granted_at, granted_by, reason, actions, counts, before, state, xid)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now(), $9, $10, $11, $12, $13, 'running', $14) returning id::text`,
    [
      ...toLocationValues(grant),
      grant.appId,
      grant.appName,
      grant.team,
      grant.appRole,
      grant.previousOwner,
      grant.grantedBy,
      grant.reason,
      JSON.stringify(grant.actions),
      JSON.stringify(grant.counts),
      JSON.stringify(grant.before),
      grant.xid,
    ],
  );
  return rows[0]?.id ?? '';
}

/** Records a revert before the data source commits it. */
export async function setReverting(
  pool: Pool,
  id: string,
  { xid, by, reason }: { readonly xid: string | null; readonly by: string; readonly reason: string | null },
): Promise<void> {
  await pool.query(
    `update access_grants set state = 'reverting', xid = $2, ended_at = now(), ended_by = $3, end_reason = $4
     where id = $1 and state = 'granted'`,
    [id, xid, by, reason],
  );
}

/** Lists the unsettled grants of a schema or an environment. */
export async function listOpen(
  pool: Pool,
  where: Pick<SchemaLocation, 'environment'> & Partial<SchemaLocation>,
): Promise<(OpenGrant & { readonly team: string; readonly xid: string | null })[]> {
  const { rows } = await pool.query<OpenGrant & { team: string; xid: string | null }>(
    `select id::text, environment, data_source as "dataSource", schema_name as "schemaName", team, state, xid
     from access_grants where state in ('running', 'reverting') and environment = $1
       and ($2::text is null or data_source = $2) and ($3::text is null or schema_name = $3) order by id`,
    [where.environment, where.dataSource ?? null, where.schemaName ?? null],
  );
  return rows;
}

/** Marks a committed grant or revert. The previous grant becomes replaced, or active again. */
export async function settleCommitted(pool: Pool, { id, state, ...where }: OpenGrant): Promise<void> {
  if (state === 'reverting') {
    await pool.query(`update access_grants set state = 'reverted' where id = $1 and state = 'reverting'`, [id]);
    await pool.query(
      `update access_grants set state = 'granted', replaced_by = null, ended_at = null, ended_by = null, end_reason = null
       where replaced_by = $1 and state = 'replaced'`,
      [id],
    );
    return;
  }
  await pool.query(`update access_grants set state = 'granted' where id = $1 and state = 'running'`, [id]);
  // Covers the whole schema, because two grants may be settled concurrently in either order.
  await pool.query(
    `update access_grants former set state = 'replaced', replaced_by = later.id, ended_at = later.granted_at,
       ended_by = later.granted_by, end_reason = later.reason
     from access_grants later
     where former.environment = $1 and former.data_source = $2 and former.schema_name = $3 and former.state = 'granted'
       and later.id = (select min(next.id) from access_grants next
         where next.environment = $1 and next.data_source = $2 and next.schema_name = $3
           and next.state = 'granted' and next.id > former.id and next.team <> former.team)`,
    toLocationValues(where),
  );
}

/** Undoes the record of a grant or revert that the data source did not commit. */
export async function settleAborted(pool: Pool, { id, state }: OpenGrant): Promise<void> {
  await pool.query(
    state === 'running'
      ? `delete from access_grants where id = $1 and state = 'running'`
      : `update access_grants set state = 'granted', ended_at = null, ended_by = null, end_reason = null
         where id = $1 and state = 'reverting'`,
    [id],
  );
}
