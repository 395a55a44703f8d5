import type pg from 'pg';
import type { KnownAttachments } from '../journey/known-attachments.ts';

export function openKnownAttachments(pool: pg.Pool, stateId: number): KnownAttachments {
  return {
    async get(ids) {
      const { rows } = await pool.query<{ journey_id: string; hash: string }>(
        'select journey_id, hash from __portal_sync__.attachment where state_id = $1 and journey_id = any($2)',
        [stateId, ids],
      );
      return new Map(rows.map(({ journey_id, hash }) => [journey_id, hash]));
    },
    async store(id, value) {
      await pool.query(
        `insert into __portal_sync__.attachment (state_id, journey_id, hash) values ($1, $2, $3)
         on conflict (state_id, journey_id) do update set hash = excluded.hash`,
        [stateId, id, value],
      );
    },
  };
}

/** Deletes known hashes, so that the files are downloaded again. */
export async function deleteAttachments(pool: pg.Pool, stateId: number, values: readonly string[]): Promise<void> {
  await pool.query('delete from __portal_sync__.attachment where state_id = $1 and hash = any($2)', [stateId, values]);
}
