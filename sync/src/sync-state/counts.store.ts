import { keptRowKind } from '@portal/contract/sync/records';
import type { Db } from '../helium/helium-gateway.ts';
import type { Figures } from '../integration/figures.ts';
import { countConflictsSql } from './conflicts.store.ts';

export interface Counts {
  readonly waiting: number;
  readonly parked: number;
  readonly deadLetters: number;
  readonly skipped: number;
  readonly keptRows: number;
  readonly oldestWaiting: Figures['oldestWaiting'];
  /** Those that wait for a review. */
  readonly conflicts: number;
  /** Files of Journey that Helium does not have yet. */
  readonly waitingFiles: number;
  /** Those of them that could not be fetched or written. */
  readonly failedFiles: number;
  /** Records with decimals that have more digits in Helium than in Journey. */
  readonly rounded: number;
  /** Records that differ on a side whose changes are not read. */
  readonly differences: number;
}

export async function readCounts(db: Db, stateId: number): Promise<Counts> {
  const { rows } = await db.query(
    `select (${countConflictsSql('reviewed_at is null')}) as conflicts,
       (select count(*)::int from __portal_sync__.file_wait where state_id = $1) as "waitingFiles",
       (select count(*)::int from __portal_sync__.file_wait
        where state_id = $1 and state <> 'announced' and attempts > 0) as "failedFiles",
       (select count(*)::int from __portal_sync__.rounded where state_id = $1) as rounded,
       (select json_build_object('direction', direction, 'object', table_name, 'id', id, 'reason', reason,
          'sinceMs', floor(extract(epoch from since) * 1000))
        from __portal_sync__.held where state_id = $1 and state = 'waiting'
        order by since, number limit 1) as "oldestWaiting",
       (select count(*)::int from __portal_sync__.difference where state_id = $1) as differences,
       count(*) filter (where state = 'waiting')::int as waiting,
       count(*) filter (where state = 'parked')::int as parked,
       count(*) filter (where state = 'dead')::int as "deadLetters",
       count(*) filter (where state = 'skipped' and kind <> $2)::int as skipped,
       count(*) filter (where state = 'skipped' and kind = $2)::int as "keptRows"
     from __portal_sync__.held where state_id = $1`,
    [stateId, keptRowKind],
  );
  return rows[0];
}
