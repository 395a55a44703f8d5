import type { Pool } from '@portal/kit/postgres/pool';

/** The last reset through the portal of the server of this name; null when there was none. */
export async function findRecordedReset(pool: Pool, hostname: string): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date }>('SELECT reset_at AS at FROM statement_reset WHERE hostname = $1', [
    hostname,
  ]);
  return rows[0]?.at ?? null;
}

export async function recordReset(pool: Pool, hostname: string, at: Date, username: string): Promise<void> {
  await pool.query(
    `INSERT INTO statement_reset (hostname, reset_at, username) VALUES ($1, $2, $3)
     ON CONFLICT (hostname) DO UPDATE SET reset_at = excluded.reset_at, username = excluded.username`,
    [hostname, at, username],
  );
}
