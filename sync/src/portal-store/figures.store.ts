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
     from unnest($2::bigint[], $3::bigint[], $4::jsonb[]) as said (id, fence, figures)
     join sync.lease l on l.integration_id = said.id and l.fence = said.fence and l.holder = $1
     on conflict (integration_id) do update set figures = excluded.figures`,
    [
      holder,
      entries.map(({ id }) => id),
      entries.map(({ fence }) => fence),
      entries.map(({ figures }) => JSON.stringify(figures, storable)),
    ],
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

/** A status may quote arbitrary text from Journey. */
function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? toStorableText(value) : value;
}
