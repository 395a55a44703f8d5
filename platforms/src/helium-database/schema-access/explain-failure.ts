import { FailedActions } from '@portal/kit/problems';
import type pg from 'pg';
import type { HeliumDatabase } from '../database.ts';
import { joinList } from './grant-checks.ts';
import type { Step } from './grant-plan.ts';

/**
 * Explains an error from PostgreSQL, with the statement that failed and, for a lock, the sessions
 * that hold it.
 *
 * @param steps the planned steps; undefined when planning itself failed
 */
export async function explainFailure(
  database: HeliumDatabase,
  schemaName: string,
  steps: readonly Step[] | undefined,
  error: pg.DatabaseError,
): Promise<FailedActions> {
  const failed = findFailed(steps ?? [], error);
  const reason = (await explainCode(database, schemaName, failed, error)) ?? `PostgreSQL reports: ${error.message}.`;
  const statement = failed ? ` Failed statement: ${failed.sql}` : '';
  return new FailedActions(`${reason} Nothing was changed.${statement}`, {
    status: error.code === '57014' ? 504 : 409,
    actions: steps?.map(({ sql }) => sql) ?? [],
    cause: error,
  });
}

/**
 * Finds the failed statement. PostgreSQL quotes it in the error's context in every language, so the
 * longest statement found there is the right one.
 */
function findFailed(steps: readonly Step[], { where = '' }: pg.DatabaseError): Step | undefined {
  return steps.filter(({ sql }) => where.includes(sql)).toSorted((a, b) => b.sql.length - a.sql.length)[0];
}

async function explainCode(
  database: HeliumDatabase,
  schemaName: string,
  failed: Step | undefined,
  { code, message }: pg.DatabaseError,
): Promise<string | undefined> {
  switch (code) {
    case '55P03':
      if (!failed) {
        return `Another change to the access of the schema ${schemaName} is in progress. Try again in a moment.`;
      }
      return `${describeObject(failed, schemaName)} is locked and was not released in time${await describeLockHolders(database, failed)}.`;
    case '40P01':
      return `The app and this change blocked each other (deadlock). Try again in a moment.`;
    case '42501':
      return `The portal's user lacks a permission: ${message}.`;
    case '42704':
      return `A required object is missing: ${message}.`;
    case '53200':
      return `The server has no room for this many locks: ${message}. Raise max_locks_per_transaction.`;
    case '57014':
      return `The change took too long and was canceled.`;
    default:
      return undefined;
  }
}

function describeObject({ object }: Step, schemaName: string): string {
  return object ? `The ${object.kind} ${object.identity}` : `The schema ${schemaName}`;
}

/**
 * Returns the holders, such as ": locked by app (helium, idle in transaction since 10:31:02 UTC)".
 * Empty when the lock was released in the meantime or its holders are not visible.
 */
async function describeLockHolders(database: HeliumDatabase, { object }: Step): Promise<string> {
  if (object?.catalog !== 'pg_class') return '';
  const holders = await database
    .query<{ role: string; application: string; state: string | null; since: Date | null }>(holdersSql, [object.oid])
    .catch(() => []);
  if (holders.length === 0) return '';
  const descriptions = holders.map(({ role, application, state, since }) => {
    const at = since && `since ${since.toISOString().slice(11, 19)} UTC`;
    return `${role} (${[application, [state, at].filter(Boolean).join(' ')].filter(Boolean).join(', ')})`;
  });
  return `: locked by ${joinList(descriptions)}`;
}

/**
 * Lists the sessions that hold a lock on a relation, its indexes, its TOAST table, or its
 * sequences.
 */
const holdersSql = `
select coalesce(a.usename, '?')::text as role, coalesce(a.application_name, '') as application, a.state, a.xact_start as since
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
