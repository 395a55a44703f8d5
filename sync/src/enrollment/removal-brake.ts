/** Stops a round from removing much at once, because Journey's list may be wrong. */
import type { Db } from '../helium/helium-gateway.ts';
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
 * Returns whether they may be removed. If they are too many, an operator has to check Journey
 * first, and consents by saving the integration with a maximum of 100 percent.
 */
export async function mayRemove(db: Db, round: EnrollmentRound, { what, known, absent }: Removal): Promise<boolean> {
  const { stateKey, configVersion, maxDeletedPercent } = round;
  const release = () => db.query(`delete from ${brakes} where state_key = $1 and what = $2`, [stateKey, what]);
  if (!mustAskAboutDeletion({ known, absent, maxDeletedPercent })) {
    await release();
    return true;
  }
  const { rows } = await db.query<{ version: number }>(
    `insert into ${brakes} as b (state_key, what, config_version) values ($1, $2, $3)
     on conflict (state_key, what) do update set config_version = b.config_version
     returning config_version as version`,
    [stateKey, what, configVersion],
  );
  if (maxDeletedPercent === 100 && (rows[0]?.version ?? configVersion) < configVersion) {
    await release();
    round.log('INFO', `Enrollment: ${absent} of ${known} ${what} are removed, as an operator has consented.`);
    return true;
  }
  round.warnings.warn(
    round.log,
    what,
    `Enrollment: Journey no longer lists ${absent} of ${known} ${what}. They were left as they are. ` +
      "Check Journey's list of users. To remove them, save the integration with 100 as " +
      '"Maximum deletions (percent)", and then with its former value.',
  );
  return false;
}
