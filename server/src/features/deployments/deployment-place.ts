import { canReachDeployments } from '@portal/contract/environments';
import type { Action } from '@portal/contract/session';
import { Refused } from '@portal/kit/problems';
import { DateTime } from 'luxon';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';

/** Throws Refused where deployments are not scheduled, and to whom the policy does not allow it. */
export async function requireDeployments(
  { permissions }: Pick<Dependencies, 'permissions'>,
  caller: Caller,
  action: Extract<Action, `deployments.${string}`>,
  scheduleId?: string,
): Promise<void> {
  const { name } = caller.environment;
  if (!canReachDeployments(name))
    throw new Refused(`Deployments are scheduled in Production only; you are signed in to ${name}.`);
  await permissions.require(caller, action, scheduleId);
}

/**
 * The instant an ISO text means; without an offset, by the clock of the zone. An Invalid Date where
 * it means none, or one that nobody writes with four digits of a year.
 */
export function readInstant(text: string, timeZone: string): Date {
  const read = DateTime.fromISO(text.trim(), { zone: timeZone });
  const { year } = read.toUTC();
  return read.isValid && year > 0 && year < 9999 ? read.toJSDate() : new Date(Number.NaN);
}

/** "Mon 23 Nov 2026 18:00:00 UTC+02:00", by the clock of the zone. */
export function sayInstant(instant: string | Date, timeZone: string): string {
  return DateTime.fromJSDate(new Date(instant))
    .setZone(timeZone)
    .setLocale('en-GB')
    .toFormat("ccc d LLL yyyy HH:mm:ss 'UTC'ZZ");
}
