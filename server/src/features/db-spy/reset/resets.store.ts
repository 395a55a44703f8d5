import type { Pool } from '@portal/kit/postgres/pool';

/** Returns the time of the last reset of this server through the portal, or null. */
export async function findRecordedReset(pool: Pool, hostname: string): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date }>('select reset_at as at from statement_reset where hostname = $1', [
    hostname,
  ]);
  return rows[0]?.at ?? null;
}

export async function saveReset(pool: Pool, hostname: string, at: Date, username: string): Promise<void> {
  await pool.query(
    `insert into statement_reset (hostname, reset_at, username) values ($1, $2, $3)
     on conflict (hostname) do update set reset_at = excluded.reset_at, username = excluded.username`,
    [hostname, at, username],
  );
}
