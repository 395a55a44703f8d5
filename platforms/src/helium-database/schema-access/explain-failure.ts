import type pg from 'pg';
import type { HeliumDatabase } from '../database.ts';
import { AccessFailure } from './access-failure.ts';
import { listed } from './grant-checks.ts';
import type { Step } from './grant-plan.ts';

/**
 * PostgreSQL's refusal in words for people, with the statement it is about and, for a lock, who
 * holds it.
 *
 * @param steps what was to run; undefined when it failed before that was known
 */
export async function explainFailure(
  database: HeliumDatabase,
  schemaName: string,
  steps: readonly Step[] | undefined,
  error: pg.DatabaseError,
): Promise<AccessFailure> {
  const failed = findFailed(steps ?? [], error);
  const reason = (await reasonOf(database, schemaName, failed, error)) ?? `PostgreSQL says: ${error.message}.`;
  const statement = failed ? ` It happened at: ${failed.sql}` : '';
  return new AccessFailure(`${reason} Nothing was changed.${statement}`, {
    status: error.code === '57014' ? 504 : 409,
    actions: steps?.map(({ sql }) => sql) ?? [],
    cause: error,
  });
}

/**
 * PostgreSQL quotes the statement in the error's context, whatever its language; the longest that
 * fits is it.
 */
function findFailed(steps: readonly Step[], { where = '' }: pg.DatabaseError): Step | undefined {
  return steps.filter(({ sql }) => where.includes(sql)).toSorted((a, b) => b.sql.length - a.sql.length)[0];
}

async function reasonOf(
  database: HeliumDatabase,
  schemaName: string,
  failed: Step | undefined,
  { code, message }: pg.DatabaseError,
): Promise<string | undefined> {
  switch (code) {
    case '55P03':
      if (!failed) {
        return `Somebody else is changing the access of the schema ${schemaName} just now. Try again in a moment.`;
      }
      return `${nameOf(failed, schemaName)} is in use, and was not free in time${await holdersOf(database, failed)}.`;
    case '40P01':
      return `The app and this change waited for each other (a deadlock). Try again in a moment.`;
    case '42501':
      return `The portal's user may not do that: ${message}.`;
    case '42704':
      return `Something it needs is missing: ${message}.`;
    case '53200':
      return `The server has no room for so many locks at once: ${message}. A higher max_locks_per_transaction helps.`;
    case '57014':
      return `It took too long and was given up.`;
    default:
      return undefined;
  }
}

function nameOf({ object }: Step, schemaName: string): string {
  return object ? `The ${object.kind} ${object.identity}` : `The schema ${schemaName}`;
}

/**
 * ": by app (helium, idle in transaction since 10:31:02 UTC)"; empty when nobody holds it any more,
 * or nobody can tell.
 */
async function holdersOf(database: HeliumDatabase, { object }: Step): Promise<string> {
  if (object?.catalog !== 'pg_class') return '';
  const holders = await database
    .query<{ who: string; application: string; state: string | null; since: Date | null }>(holdersSql, [object.oid])
    .catch(() => []);
  if (holders.length === 0) return '';
  const words = holders.map(({ who, application, state, since }) => {
    const at = since && `since ${since.toISOString().slice(11, 19)} UTC`;
    return `${who} (${[application, [state, at].filter(Boolean).join(' ')].filter(Boolean).join(', ')})`;
  });
  return `: it is held by ${listed(words)}`;
}

/** Who has a lock on a relation, its indexes, its TOAST table or its sequences. */
const holdersSql = `
select coalesce(a.usename, '?')::text as who, coalesce(a.application_name, '') as application, a.state, a.xact_start as since
from pg_stat_activity a
where a.pid <> pg_backend_pid() and exists (
  select from pg_locks l join pg_database b on b.oid = l.database and b.datname = current_database()
  where l.pid = a.pid and l.granted and l.locktype = 'relation' and l.relation in (
    select $1::oid
    union all select indexrelid from pg_index where indrelid = $1::oid
    union all select reltoastrelid from pg_class where oid = $1::oid
    union all select objid from pg_depend
      where classid = 'pg_class'::regclass and refclassid = 'pg_class'::regclass and refobjid = $1::oid and deptype in ('a', 'i')))
order by a.xact_start limit 5`;
