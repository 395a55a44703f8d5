import type { Db } from '../helium/helium-gateway.ts';
import { countConflictsSql } from './conflicts.store.ts';

export interface Counts {
  readonly deadLetters: number;
  readonly parked: number;
  readonly conflicts: number;
}

export async function readCounts(db: Db, stateId: number): Promise<Counts> {
  const { rows } = await db.query(
    `select (select count(*)::int from __portal_sync__.held where state_id = $1 and state = 'dead') as "deadLetters",
       (select count(*)::int from __portal_sync__.held where state_id = $1 and state = 'parked') as parked,
       (${countConflictsSql}) as conflicts`,
    [stateId],
  );
  return rows[0];
}
