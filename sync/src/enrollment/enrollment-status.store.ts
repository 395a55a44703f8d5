/** Stores what operators see of enrollment, for whichever process shows it. */
import type { EnrollmentStatus, EnrollmentWaiting } from '@portal/contract/sync-enrollment-status';
import type { Db } from '../helium/helium-gateway.ts';

const statuses = '__portal_sync__.enrollment_status';
const maxShown = 100;

/** Before the first round. */
export const noEnrollment: EnrollmentStatus = {
  listedAt: null,
  users: 0,
  sessions: 0,
  problem: null,
  waiting: [],
  total: 0,
};

export interface EnrollmentChange {
  /** The list that was written. */
  readonly list?: { readonly at: Date; readonly users: number; readonly sessions: number };
  /** Unchanged when omitted. */
  readonly problem?: string | null;
  readonly waiting: readonly EnrollmentWaiting[];
}

export async function saveEnrollmentStatus(db: Db, stateKey: string, change: EnrollmentChange): Promise<void> {
  const { list, problem, waiting } = change;
  await db.query(
    `insert into ${statuses} as s (state_key, listed_at, users, sessions, problem, waiting, total)
     values ($1, $2, coalesce($3::int, 0), coalesce($4::int, 0), $6, $7, $8)
     on conflict (state_key) do update set listed_at = coalesce($2, s.listed_at), users = coalesce($3::int, s.users),
       sessions = coalesce($4::int, s.sessions), problem = case when $5 then $6 else s.problem end,
       waiting = excluded.waiting, total = excluded.total`,
    [
      stateKey,
      list?.at ?? null,
      list?.users ?? null,
      list?.sessions ?? null,
      problem !== undefined,
      problem ?? null,
      JSON.stringify(waiting.slice(0, maxShown)),
      waiting.length,
    ],
  );
}

export async function readEnrollmentStatus(db: Db, stateKey: string): Promise<EnrollmentStatus> {
  const { rows } = await db.query<Omit<EnrollmentStatus, 'listedAt'> & { listedAt: Date | null }>(
    `select listed_at as "listedAt", users, sessions, problem, waiting, total from ${statuses} where state_key = $1`,
    [stateKey],
  );
  const [row] = rows;
  return row ? { ...row, listedAt: row.listedAt?.toISOString() ?? null } : noEnrollment;
}
