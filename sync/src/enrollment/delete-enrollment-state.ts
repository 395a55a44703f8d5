import type { Db } from '../helium/helium-gateway.ts';

const tables = ['user_lock', 'enrollment_request', 'enrollment_user', 'enrollment_status', 'enrollment_brake'];

/**
 * Deletes what enrollment remembers of a deleted integration, so that another integration of the
 * same app starts without it.
 *
 * @param keys the start of the state keys to delete
 */
export async function deleteEnrollmentState(db: Db, keys: string): Promise<void> {
  for (const table of tables)
    await db.query(`delete from __portal_sync__.${table} where starts_with(state_key, $1)`, [keys]);
}
