/** Stops a round from removing much at once, because Journey's list may be wrong. */
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import { mustAskAboutDeletion } from '../record/deletion-brake.ts';
import type { EnrollmentRound } from './enrollment-round.ts';

const brakes = '__portal_sync__.enrollment_brake';

interface Removal {
  /** For people: 'users', 'rows of devicesession'. */
  readonly what: string;
  /** How many there are, and how many of them Journey no longer lists. */
  readonly known: number;
  readonly absent: number;
}

/**
 * Returns whether they may be removed. If they are too many, an operator has to check Journey's
 * list and to consent first.
 */
export async function mayRemove(db: Db, round: EnrollmentRound, { what, known, absent }: Removal): Promise<boolean> {
  const { stateKey, maxDeletedPercent } = round;
  const release = () =>
    removeRows(db, 'enrollment_brake', `select ctid from ${brakes} where state_key = $1 and what = $2 for update`, [
      stateKey,
      what,
    ]);
  if (!mustAskAboutDeletion({ known, absent, maxDeletedPercent })) {
    await release();
    return true;
  }
  const { rows } = await db.query<{ consented: number }>(
    `insert into ${brakes} (state_key, what, absent) values ($1, $2, $3)
     on conflict (state_key, what) do update set absent = excluded.absent returning consented`,
    [stateKey, what, absent],
  );
  if (absent <= (rows[0]?.consented ?? 0)) {
    await release();
    round.log('INFO', `Enrollment: ${absent} of ${known} ${what} are removed, as an operator has consented.`);
    return true;
  }
  round.warnings.warn(
    round.log,
    what,
    `Enrollment: Journey no longer lists ${absent} of ${known} ${what}. They were left as they are. ` +
      "Check Journey's list of users. To remove them, press Remove in the list of what waits in enrollment.",
  );
  return false;
}

/** Lets the next round remove as many as were found. Returns how many; 0 when no removal waits. */
export async function consentToRemoval(db: Db, stateKey: string, what: string): Promise<number> {
  const { rows } = await db.query<{ absent: number }>(
    `update ${brakes} set consented = absent where state_key = $1 and what = $2 returning absent`,
    [stateKey, what],
  );
  return rows[0]?.absent ?? 0;
}
