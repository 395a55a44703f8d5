import type { Pool } from '@portal/kit/postgres/pool';
import { changeLog, changeSequence, quote, transactionLog } from './sql-names.ts';

/** In the order of GRANT statements. */
const rights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'USAGE'] as const;
type Right = (typeof rights)[number];
export type TableRight = Exclude<Right, 'USAGE'>;

/** What the engine does with each of an app's tables, by name. */
export type WantedRights = ReadonlyMap<string, readonly TableRight[]>;

interface Facts {
  readonly user: string;
  readonly database: string;
  readonly canCreate: boolean;
  readonly canUseSchema: boolean;
  /** Whether `__portal_sync__` exists. */
  readonly hasState: boolean;
  readonly canUseState: boolean;
  /** Helium's triggers write the log as the user who changes a row. */
  readonly triggersRunAsUser: boolean;
}

const stateRights = [
  'USAGE ON SCHEMA __portal_sync__',
  'SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA __portal_sync__',
  'USAGE ON ALL SEQUENCES IN SCHEMA __portal_sync__',
];

const factsSql = `
select current_user::text as user, current_database()::text as database,
  has_database_privilege(current_database(), 'CREATE') as "canCreate",
  has_schema_privilege(app.oid, 'USAGE') as "canUseSchema",
  state.oid is not null as "hasState",
  coalesce(has_schema_privilege(state.oid, 'USAGE') and exists (select from pg_class c
    where c.relnamespace = state.oid and c.relname = 'run' and has_table_privilege(c.oid, 'UPDATE')), false) as "canUseState",
  exists (select from pg_class c join pg_trigger t on t.tgrelid = c.oid join pg_proc f on f.oid = t.tgfoid
    where c.relnamespace = app.oid and t.tgname like '\\_\\_he\\_sync\\_obj\\_%' and not f.prosecdef) as "triggersRunAsUser"
from pg_namespace app left join pg_namespace state on state.nspname = '__portal_sync__'
where app.nspname = $1`;

/**
 * Columns may be granted instead of their table, but for DELETE. Nothing is granted on a missing
 * table.
 */
const missingSql = `
select c.relname as name, c.relkind = 'S' as "isSequence", array_agg(w.privilege) as missing
from unnest($2::text[], $3::text[]) as w (name, privilege)
join pg_class c on c.relname = w.name or (w.name = $4 and w.privilege <> 'SELECT' and c.oid in (
  select i.inhrelid from pg_inherits i join pg_class log on log.oid = i.inhparent where log.relname = $4))
where c.relnamespace = (select oid from pg_namespace where nspname = $1)
  and not case
    when c.relkind = 'S' then has_sequence_privilege(c.oid, w.privilege)
    when w.privilege = 'DELETE' then has_table_privilege(c.oid, w.privilege)
    else has_any_column_privilege(c.oid, w.privilege)
  end
group by c.relname, c.relkind order by c.relname`;

/**
 * Returns the statements that give this pool's user what the engine needs and the user lacks, such
 * as `GRANT CREATE ON DATABASE helium TO portal`; none when nothing is missing.
 *
 * @param createsState whether this user creates `__portal_sync__`, and not the granting login
 */
export async function findMissingRights(
  pool: Pool,
  schema: string,
  { tables: wanted, createsState }: { readonly tables: WantedRights; readonly createsState: boolean },
): Promise<string[]> {
  const { rows } = await pool.query<Facts>(factsSql, [schema]);
  const [facts] = rows;
  if (!facts) return [];
  const grant = (what: string) => `GRANT ${what} TO ${quote(facts.user)}`;
  const statements: string[] = [];
  if (createsState && !facts.hasState && !facts.canCreate)
    statements.push(grant(`CREATE ON DATABASE ${quote(facts.database)}`));
  // Another user has created it.
  if (createsState && facts.hasState && !facts.canUseState) statements.push(...stateRights.map(grant));
  if (!facts.canUseSchema) statements.push(grant(`USAGE ON SCHEMA ${quote(schema)}`));
  for (const [what, objects] of await findMissing(pool, schema, addLogs(wanted, facts.triggersRunAsUser)))
    statements.push(grant(`${what} ${objects.map((name) => `${quote(schema)}.${quote(name)}`).join(', ')}`));
  return statements;
}

/** Adds what the engine reads of Helium's log, and what its triggers write there. */
function addLogs(wanted: WantedRights, triggersRunAsUser: boolean): ReadonlyMap<string, readonly Right[]> {
  if (wanted.size === 0) return wanted;
  const isWriting = [...wanted.values()].some((each) => each.some((right) => right !== 'SELECT'));
  return new Map<string, readonly Right[]>([
    ...wanted,
    [changeLog, isWriting && triggersRunAsUser ? ['SELECT', 'INSERT', 'DELETE'] : ['SELECT']],
    [transactionLog, ['SELECT']],
    [changeSequence, isWriting ? ['SELECT', 'USAGE'] : ['SELECT']],
  ]);
}

/**
 * Returns the names of the objects by what is missing: `SELECT, INSERT ON`, `USAGE ON SEQUENCE`.
 */
async function findMissing(
  pool: Pool,
  schema: string,
  wanted: ReadonlyMap<string, readonly Right[]>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const pairs = [...wanted].flatMap(([name, each]) => each.map((right) => [name, right] as const));
  const { rows } = await pool.query<{ name: string; isSequence: boolean; missing: Right[] }>(missingSql, [
    schema,
    pairs.map(([name]) => name),
    pairs.map(([, right]) => right),
    changeLog,
  ]);
  const objects = new Map<string, string[]>();
  for (const { name, isSequence, missing } of rows) {
    const what = `${rights.filter((right) => missing.includes(right)).join(', ')} ON${isSequence ? ' SEQUENCE' : ''}`;
    objects.set(what, [...(objects.get(what) ?? []), name]);
  }
  return objects;
}
