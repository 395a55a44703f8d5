import type { Pool } from '@portal/kit/postgres/pool';
import type { CallOrigin } from '../audit/audit-trail.ts';

/** Where a session is used. */
export type Origin = Pick<CallOrigin, 'address' | 'userAgent'>;

/** A use of a session. */
export interface SessionUse {
  /** The previous origin. */
  readonly before: { readonly address: string | null; readonly userAgent: string | null };
  /** Whether the session was never used from there. Always false from `maxMoves` on. */
  readonly isMove: boolean;
  /** The number of origins that the session moved to before. */
  readonly moves: number;
}

/** As long as a session was used nowhere else, only its first origin is stored. */
const lastUserAgent = 'case when last_address is null then user_agent else last_user_agent end';

/** Stores where a session is used now. Returns undefined if the session has ended. */
export async function saveOrigin(
  pool: Pool,
  sessionId: string,
  { address, userAgent }: Origin,
  maxMoves: number,
): Promise<SessionUse | undefined> {
  const { rows } = await pool.query<Omit<SessionUse, 'before'> & SessionUse['before']>(
    // All parts of the statement see the session as it was before.
    `with moved as (
       insert into session_origin (session_id, address, user_agent)
       select id, $2, coalesce($3, '') from session
       where id = $1 and (address, user_agent) is distinct from ($2::text, $3::text)
         and (select count(*) from session_origin where session_id = $1) < $4
       on conflict do nothing returning 1
     ), saved as (
       update session set last_address = $2, last_user_agent = $3
       where id = $1 and (coalesce(last_address, address), ${lastUserAgent}) is distinct from ($2::text, $3::text)
     )
     select coalesce(last_address, address) as address, ${lastUserAgent} as "userAgent",
       exists (select from moved) as "isMove",
       (select count(*)::int from session_origin where session_id = $1) as moves
     from session where id = $1`,
    [sessionId, address, userAgent, maxMoves],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { isMove, moves, ...before } = row;
  return { before, isMove, moves };
}
