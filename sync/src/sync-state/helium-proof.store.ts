/**
 * Reads what proves that Helium's tables and change log are still those that the state was written
 * for. A table that was dropped and created again has another object id, whatever the log says.
 */

import { Unreachable } from '@portal/kit/problems';
import pg from 'pg';
import { entrySql, headSql } from '../helium/change-log-point.ts';
import type { ChangeLogPoint, Db } from '../helium/helium-gateway.ts';
import { preparedQuery } from '../helium/prepared-query.ts';
import { changeLog } from '../helium/sql-names.ts';

export interface HeliumIdentity {
  /** Identifies the server; null where the role may not read it. */
  readonly system: string | null;
  /** Object id of the state's own table: another one means that the state was restored too. */
  readonly state: string;
  /** Object id of the change log. */
  readonly log: string | null;
  /** Object ids by table; those of missing tables are kept. */
  readonly tables: Readonly<Record<string, string>>;
  /** Numbers of the files that contain the rows, by table. TRUNCATE gives a table another one. */
  readonly files: Readonly<Record<string, string>>;
}

export interface HeliumProof {
  /** The stored revision of the state. */
  readonly revision: number;
  /** The last entry of the change log that was read; null when none is known. */
  readonly stored: ChangeLogPoint | null;
  /** The log's entry with that number now. */
  readonly storedNow: ChangeLogPoint | null;
  /** The newest entry when the last call to Journey was planned; null when none is known. */
  readonly sent: ChangeLogPoint | null;
  /** The log's entry with that number now. */
  readonly sentNow: ChangeLogPoint | null;
  /** The log's newest entry now; null when it is empty. */
  readonly head: ChangeLogPoint | null;
  /** The log's entry with the number of `newest` now. */
  readonly newestNow: ChangeLogPoint | null;
  /** null when it was never stored. */
  readonly identity: HeliumIdentity | null;
  readonly identityNow: Omit<HeliumIdentity, 'system'>;
  /** How many columns each table has had, with those that were dropped. */
  readonly widths: Readonly<Record<string, number>>;
}

export interface StateInSchema {
  readonly stateId: number;
  readonly schema: string;
}

/**
 * Looked up by name, because a database may have many thousands of tables.
 *
 * @param schema an expression for the schema's name
 * @param tables an expression for the names of the tables
 */
export const oidsSql = (schema: string, tables: string) => `'__portal_sync__.run'::regclass::oid::text as state,
  coalesce((select json_object_agg(c.relname, json_build_array(c.oid::text, pg_relation_filenode(c.oid)::text, c.relnatts)) from pg_class c
    where c.relnamespace = (select oid from pg_namespace where nspname = ${schema})
      and c.relname = any(array_append(${tables}, '${changeLog}')::name[])), '{}') as tables`;

/** The tables whose identity is stored in the state's row `r`. */
export const knownTablesSql = "array(select jsonb_object_keys(r.helium_identity->'tables'))";

const undefinedTable = '42P01';

/**
 * Throws Unreachable while the change log is missing, as during a restore.
 *
 * @param newest an entry that was read but not stored yet
 */
export async function readHeliumProof(
  db: Db,
  { stateId, schema }: StateInSchema,
  newest: ChangeLogPoint | null,
): Promise<HeliumProof> {
  const text = `select r.revision::float8 as revision, r.change_log_point as stored, r.sent_point as sent, r.helium_identity as identity,
      ${headSql(schema)} as head, ${entrySql(schema, `(r.sent_point->>'seq')::bigint`)} as "sentNow",
      ${entrySql(schema, `(r.change_log_point->>'seq')::bigint`)} as "storedNow",
      ${entrySql(schema, '$3::bigint')} as "newestNow", ${oidsSql('$2', knownTablesSql)}
    from __portal_sync__.run r where r.state_id = $1`;
  const values = [stateId, schema, newest?.seq ?? null];
  const { rows } = await db.query(preparedQuery(db, text, values)).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError && error.code === undefinedTable)) throw error;
    throw new Unreachable(`${schema} has no change log at the moment.`, { cause: error });
  });
  const [row] = rows;
  if (!row) throw new Error("The integration's state is no longer in Helium's database.");
  const { state, tables, ...proof } = row;
  const { widths, ...found } = splitTables(tables);
  return { ...proof, identityNow: { state, ...found }, widths };
}

/**
 * Stores what identifies the database and these tables now; `new` keeps the object ids of tables
 * that are known, and writes nothing when all are. Tables that are missing now keep theirs in any
 * case.
 */
export async function saveHeliumIdentity(
  db: Db,
  { stateId, schema, fence }: StateInSchema & { readonly fence: string },
  { tables: mapped, learns }: { readonly tables: readonly string[]; readonly learns: 'all' | 'new' },
): Promise<void> {
  const { rows } = await db.query(
    `select (select helium_identity from __portal_sync__.run where state_id = $3) as known, ${oidsSql('$1', '$2::text[]')}`,
    [schema, mapped, stateId],
  );
  const { known, state, tables } = rows[0];
  const { widths: _, ...found } = splitTables(tables);
  if (learns === 'new' && isKnown(known, found)) return;
  const system = await readSystemIdentifier(db);
  await db.query(
    `update __portal_sync__.run set helium_identity = case
         when $4 then now || jsonb_build_object('tables', known || (now->'tables'), 'files', files || (now->'files'))
         else now || helium_identity
           || jsonb_build_object('tables', (now->'tables') || known, 'files', (now->'files') || files) end
     from (select $3::jsonb as now) given,
       lateral (select coalesce(helium_identity->'tables', '{}') as known, coalesce(helium_identity->'files', '{}') as files
         from __portal_sync__.run where state_id = $1) before
     where state_id = $1 and fence = $2`,
    [stateId, fence, JSON.stringify({ system, state, ...found }), learns === 'all'],
  );
}

function isKnown(known: HeliumIdentity | null, found: Pick<HeliumIdentity, 'log' | 'tables' | 'files'>): boolean {
  return (
    known?.system !== undefined &&
    Object.keys(found.tables).every((table) => Object.hasOwn(known.tables, table)) &&
    Object.keys(found.files).every((table) => Object.hasOwn(known.files, table))
  );
}

/**
 * Stores in which file the rows of a table are, once its absent records are decided
 * about.
 */
export async function saveTableFile(
  db: Db,
  { stateId, fence }: Pick<StateInSchema, 'stateId'> & { readonly fence: string },
  { table, file }: { readonly table: string; readonly file: string },
): Promise<void> {
  await db.query(
    `update __portal_sync__.run set helium_identity = jsonb_set(helium_identity, array['files', $3], to_jsonb($4::text))
     where state_id = $1 and fence = $2`,
    [stateId, fence, table, file],
  );
}

/** Returns the identifier of the server, or null where the role may not read it. */
export async function readSystemIdentifier(db: Db): Promise<string | null> {
  const { rows } = await db.query(`select has_function_privilege('pg_control_system()', 'execute') as "isAllowed"`);
  if (!rows[0]?.isAllowed) return null;
  const { rows: systems } = await db.query('select system_identifier::text as system from pg_control_system()');
  return systems[0]?.system ?? null;
}

/** @param all object id, file and width of each table */
function splitTables(
  all: Readonly<Record<string, readonly [oid: string, file: string | null, width: number]>>,
): Pick<HeliumIdentity, 'log' | 'tables' | 'files'> & Pick<HeliumProof, 'widths'> {
  const { [changeLog]: log, ...tables } = all;
  return {
    log: log?.[0] ?? null,
    tables: Object.fromEntries(Object.entries(tables).map(([table, [oid]]) => [table, oid])),
    files: Object.fromEntries(Object.entries(tables).flatMap(([table, [, file]]) => (file ? [[table, file]] : []))),
    widths: Object.fromEntries(Object.entries(tables).map(([table, [, , width]]) => [table, width])),
  };
}
