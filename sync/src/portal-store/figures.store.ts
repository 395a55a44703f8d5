import type { Pool } from '@portal/kit/postgres/pool';
import { toStorableText } from '@portal/kit/postgres/storable-text';
import type { Figures } from '../integration/figures.ts';
import type { Lease } from './leases.store.ts';

/**
 * Writes the figures of many runs in one statement. Runs that have lost their lease are skipped.
 */
export async function writeFigures(
  pool: Pool,
  holder: string,
  entries: readonly (Lease & { readonly figures: Figures })[],
): Promise<void> {
  await pool.query(
    `insert into sync.figures (integration_id, figures)
     select l.integration_id, said.figures
     from jsonb_to_recordset($2) as said (id bigint, fence bigint, figures jsonb)
     join sync.lease l on l.integration_id = said.id and l.fence = said.fence and l.holder = $1
     on conflict (integration_id) do update set figures = excluded.figures`,
    [holder, JSON.stringify(entries, storable)],
  );
}

/**
 * Stores the version a cursor was moved to, so that the next run does not take a smaller one for a
 * restored state.
 */
export async function saveVersionFigure(
  pool: Pool,
  id: string,
  { name, version }: { readonly name: 'changeLogVersion' | 'oplogVersion'; readonly version: string },
): Promise<void> {
  await pool.query(
    'update sync.figures set figures = figures || jsonb_build_object($2::text, $3::text) where integration_id = $1',
    [id, name, version],
  );
}

/**
 * Claims the check of what waits for integrations that do not run and were not checked within this
 * time. Each is claimed by one process. Returns their ids.
 */
export async function claimBacklogChecks(
  pool: Pool,
  { intervalMs, limit }: { readonly intervalMs: number; readonly limit: number },
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `update sync.figures f
     set figures = f.figures || jsonb_build_object('backlogCheckedAtMs', (extract(epoch from now()) * 1000)::bigint)
     where f.integration_id in (
       select due.integration_id from sync.figures due join sync.integration i on i.id = due.integration_id
       where i.status <> 'Enabled'
         and coalesce((due.figures->>'backlogCheckedAtMs')::float8, 0) < extract(epoch from now()) * 1000 - $1
       limit $2 for update of due skip locked)
     returning f.integration_id as id`,
    [intervalMs, limit],
  );
  return rows.map(({ id }) => id);
}

/** Stores figures of an integration, unless it runs again: a run has its own. */
export async function saveStoppedFigures(pool: Pool, id: string, figures: Partial<Figures>): Promise<void> {
  await pool.query(
    `update sync.figures f set figures = f.figures || $2 from sync.integration i
     where f.integration_id = $1 and i.id = $1 and i.status <> 'Enabled'`,
    [id, JSON.stringify(figures)],
  );
}

/** A status may quote arbitrary text from Journey. */
function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? toStorableText(value) : value;
}
