import type { ShiftImport } from '@portal/contract/support-roster';
import type { Pool, PoolClient } from '@portal/kit/postgres/pool';
import type { TeamKey } from './portal-shifts.store.ts';

/** Identifies an import. */
export interface ImportKey extends TeamKey {
  readonly id: string;
}

/** Once false, it stays false: an import whose process has stopped can no longer be completed. */
const isRunning = `last.state = 'running' and last.updated_at > clock_timestamp() - interval '30 seconds'`;
const isImport = 'environment = $1 and team = $2 and id = $3';

const stoppedProblem = 'The portal stopped during the import. Nothing was imported. Import the file again.';

/** Returns the import's id, or undefined if another import of the team is running. */
export async function beginImport(
  pool: Pool,
  { environment, team }: TeamKey,
  { username, total }: Pick<ShiftImport, 'username' | 'total'>,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into roster_import as last (environment, team, username, total) values ($1, $2, $3, $4)
     on conflict (environment, team) do update set id = excluded.id, username = excluded.username,
       state = excluded.state, added = 0, total = excluded.total, problem = null, updated_at = excluded.updated_at
     where not (${isRunning})
     returning id`,
    [environment, team, username, total],
  );
  return rows[0]?.id;
}

/** Stores the progress, and that the import is still running. */
export async function reportProgress(pool: Pool, { environment, team, id }: ImportKey, added: number): Promise<void> {
  await pool.query(
    `update roster_import last set added = $4, updated_at = clock_timestamp() where ${isImport} and ${isRunning}`,
    [environment, team, id, added],
  );
}

/** Marks the import as done. Returns false if it was considered stopped in the meantime. */
export async function completeImport(client: PoolClient, { environment, team, id }: ImportKey): Promise<boolean> {
  const { rowCount } = await client.query(
    `update roster_import last set state = 'done', added = total, updated_at = clock_timestamp()
     where ${isImport} and ${isRunning}`,
    [environment, team, id],
  );
  return rowCount === 1;
}

export async function failImport(pool: Pool, { environment, team, id }: ImportKey, problem: string): Promise<void> {
  await pool.query(
    `update roster_import last set state = 'failed', problem = $4, updated_at = clock_timestamp()
     where ${isImport} and ${isRunning}`,
    [environment, team, id, problem],
  );
}

/** Finds the team's import that is running or has ended within the last minutes. */
export async function findRecentImport(pool: Pool, { environment, team }: TeamKey): Promise<ShiftImport | null> {
  const { rows } = await pool.query<ShiftImport & { isRunning: boolean }>(
    `select id, username, state, added, total, problem, ${isRunning} as "isRunning" from roster_import last
     where environment = $1 and team = $2 and updated_at > clock_timestamp() - interval '5 minutes'`,
    [environment, team],
  );
  const [found] = rows;
  if (!found) return null;
  const { isRunning: runs, ...last } = found;
  return last.state === 'running' && !runs ? { ...last, state: 'failed', problem: stoppedProblem } : last;
}
