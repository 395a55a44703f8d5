/** Stores what operators see of enrollment, for whichever process shows it. */
import type { EnrollmentStatus, EnrollmentWaiting } from '@portal/contract/sync/enrollment-status';
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

/** Without what only the database knows. */
export type WaitingSubject = Omit<EnrollmentWaiting, 'needsConsent'>;

export interface EnrollmentChange {
  /** The list that was written. */
  readonly list?: { readonly at: Date; readonly users: number; readonly sessions: number };
  /** Unchanged when omitted. */
  readonly problem?: string | null;
  readonly waiting: readonly WaitingSubject[];
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

/** Requests a retry from the run; without subjects, of all. Returns how many of them wait. */
export async function requestEnrollmentRetry(
  db: Db,
  stateKey: string,
  subjects: readonly string[] | null,
): Promise<number> {
  const { rows } = await db.query<{ retried: number }>(
    `update ${statuses} set retry = case when $2::text[] is null or retry = '{}' then '{}' else retry || $2::text[] end
     where state_key = $1
     returning case when $2::text[] is null then total + (problem is not null)::int
       else (select count(*)::int from jsonb_array_elements(waiting) w where w ->> 'subject' = any($2::text[])) end as retried`,
    [stateKey, subjects],
  );
  return rows[0]?.retried ?? 0;
}

/** Returns what an operator retries, once; null for nothing, an empty list for all. */
export async function takeEnrollmentRetry(db: Db, stateKey: string): Promise<readonly string[] | null> {
  const { rows } = await db.query<{ retry: string[] }>(
    `with taken as (select state_key, retry from ${statuses} where state_key = $1 and retry is not null for update)
     update ${statuses} s set retry = null from taken where s.state_key = taken.state_key returning taken.retry`,
    [stateKey],
  );
  return rows[0]?.retry ?? null;
}

export async function readEnrollmentStatus(db: Db, stateKey: string): Promise<EnrollmentStatus> {
  const { rows } = await db.query<Omit<EnrollmentStatus, 'listedAt'> & { listedAt: Date | null }>(
    `select listed_at as "listedAt", users, sessions, problem, total,
       (select coalesce(jsonb_agg(one || jsonb_build_object('needsConsent', exists (
          select from __portal_sync__.enrollment_brake b
          where b.state_key = $1 and b.what = one ->> 'subject' and b.consented < b.absent)) order by at), '[]')
        from jsonb_array_elements(waiting) with ordinality as w (one, at)) as waiting
     from ${statuses} where state_key = $1`,
    [stateKey],
  );
  const [row] = rows;
  return row ? { ...row, listedAt: row.listedAt?.toISOString() ?? null } : noEnrollment;
}
