/** Notices the requests that Helium makes by setting flags. */
import { sessionObjectFieldHints, sessionUserFieldHints, userFieldHints } from '@portal/contract/sync/enrollment';
import pg from 'pg';
import type { Db } from '../helium/helium-gateway.ts';
import type { HeliumCatalog } from '../mapping/helium-catalog.ts';
import { requireColumns } from './enrollment-columns.ts';
import { type EnrollmentRound, inAppTransaction } from './enrollment-round.ts';
import { flagSql } from './flags.ts';
import { hasLockRequests, type LockColumn, saveSeenLocks } from './user-locks.store.ts';

type Enrollment = EnrollmentRound['enrollment'];

/** Returns the names of the tables that have columns for requests. */
export function listRequestTables(enrollment: Enrollment): string[] {
  const names = [enrollment.heliumObjectName];
  if (enrollment.type === 'session') names.push(enrollment.sessionObjectName);
  return names.map((name) => name.trim().toLowerCase());
}

/**
 * Returns whether there are requests, and saves the locks among them, so that a lock is executed
 * even if it is withdrawn in the meantime. Throws like `runEnrollment`.
 */
export function noteRequests(round: EnrollmentRound): Promise<boolean> {
  const { flags, lock } = findRequestColumns(round.enrollment, round.catalog);
  return inAppTransaction(round, async (db) => {
    const stored = lock && { ...lock, stateKey: round.stateKey };
    if (stored) await saveSeenLocks(db, stored);
    if (stored && (await hasLockRequests(db, stored))) return true;
    for (const flag of flags) if (await hasFlag(db, flag)) return true;
    return false;
  });
}

interface RequestColumns {
  readonly flags: readonly LockColumn[];
  readonly lock: LockColumn | null;
}

function findRequestColumns(enrollment: Enrollment, catalog: HeliumCatalog): RequestColumns {
  const { heliumObjectName } = enrollment;
  if (enrollment.type === 'user') {
    const { table, columns } = requireColumns(catalog, heliumObjectName, enrollment, userFieldHints);
    const flags = [columns.get('performReEnrollmentFieldName'), columns.get('generateEnrollmentCodeFieldName')];
    return { flags: flags.flatMap((flag) => (flag ? { table, flag } : [])), lock: null };
  }
  const { sessionObjectName, sessionObjectFieldNames } = enrollment;
  const user = requireColumns(catalog, heliumObjectName, enrollment, sessionUserFieldHints);
  const session = requireColumns(catalog, sessionObjectName, sessionObjectFieldNames, sessionObjectFieldHints);
  const code = user.columns.get('generateEnrollmentCodeFieldName');
  const reAuthenticate = session.columns.get('performReAuthenticateFieldName');
  const locked = user.columns.get('lockedFieldName');
  return {
    flags: [
      ...(code ? [{ table: user.table, flag: code }] : []),
      ...(reAuthenticate ? [{ table: session.table, flag: reAuthenticate }] : []),
    ],
    lock: locked ? { table: user.table, flag: locked } : null,
  };
}

async function hasFlag(db: Db, { table, flag }: LockColumn): Promise<boolean> {
  const { rowCount } = await db.query(`select from ${pg.escapeIdentifier(table)} t where ${flagSql(flag)} limit 1`);
  return rowCount === 1;
}
