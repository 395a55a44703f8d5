import type { Db } from '../helium/helium-end.ts';

export interface Counts {
  readonly deadLetters: number;
  readonly parked: number;
  readonly conflicts: number;
}

export async function readCounts(db: Db, run: number): Promise<Counts> {
  const { rows } = await db.query(
    `select (select count(*)::int from __portal_sync__.held where run = $1 and state = 'dead') as "deadLetters",
       (select count(*)::int from __portal_sync__.held where run = $1 and state = 'parked') as parked,
       (select count(*)::int from __portal_sync__.conflict where run = $1) as conflicts`,
    [run],
  );
  return rows[0];
}
