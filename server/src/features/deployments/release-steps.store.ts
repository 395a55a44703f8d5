import type { ReleaseStep } from '@portal/contract/release-page';
import type { Pool } from '@portal/kit/postgres/pool';

type DoneStep = { readonly step: string } & NonNullable<ReleaseStep['done']>;

/** Lists the steps of a schedule that are done, in the order in which they were. */
export async function listDoneSteps(pool: Pool, scheduleId: string): Promise<DoneStep[]> {
  const { rows } = await pool.query<{ step: string; by: string; at: Date }>(
    `select step, done_by as by, done_at as at from deployment_steps
     where schedule_id = $1 order by done_at, step`,
    [scheduleId],
  );
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

/** Marks a step of an unresolved schedule as done. Returns false if it already was. */
export async function addDoneStep(pool: Pool, scheduleId: string, step: string, by: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into deployment_steps (schedule_id, step, done_by, done_at)
     select id, $2, $3, now() from deployment_schedules where id = $1 and schedule_status = 'MERGE'
     on conflict do nothing`,
    [scheduleId, step, by],
  );
  return rowCount === 1;
}

/** Removes the mark of a step. Returns false if it had none. */
export async function removeDoneStep(pool: Pool, scheduleId: string, step: string): Promise<boolean> {
  const { rowCount } = await pool.query('delete from deployment_steps where schedule_id = $1 and step = $2', [
    scheduleId,
    step,
  ]);
  return rowCount === 1;
}

/** Returns who gave the schedule its current tag, and when; null if no save is known. */
export async function findTagSave(
  pool: Pool,
  scheduleId: string,
  tagLabel: string,
): Promise<{ by: string; at: string } | null> {
  const { rows } = await pool.query<{ by: string; at: Date }>(
    `select saved_by as by, at from deployment_saves
     where schedule_id = $1 and changes @> $2 order by revision desc limit 1`,
    [scheduleId, JSON.stringify([{ field: tagLabel }])],
  );
  const [save] = rows;
  return save ? { by: save.by, at: save.at.toISOString() } : null;
}
