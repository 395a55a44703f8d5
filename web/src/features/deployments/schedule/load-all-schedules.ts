import type { Schedule } from '@portal/contract/deployments';
import { mergeSchedules } from './merge-schedules.ts';

/** A response with this many is parsed within a few milliseconds. */
const usualPartSize = 1_000;

/** Reads the schedules with the latest dates before `to`, which is exclusive. */
export type ReadSchedules = (request: { readonly limit: number; readonly to?: string }) => Promise<readonly Schedule[]>;

/**
 * Loads all schedules in parts, each behind the earliest date that is loaded. What is saved in
 * between may be missing.
 *
 * @param newest what is loaded already: those with the latest dates
 */
export async function loadAllSchedules(
  read: ReadSchedules,
  newest: readonly Schedule[],
  partSize = usualPartSize,
): Promise<readonly Schedule[]> {
  let all = newest;
  for (;;) {
    const last = all.at(-1)?.deploymentDate;
    // Others may have the same date, and those of it that are loaded come with them.
    const repeated = last === undefined ? 0 : all.filter(({ deploymentDate }) => deploymentDate === last).length;
    const limit = partSize + repeated;
    const part = await read({ limit, ...(last !== undefined && { to: toExclusive(last) }) });
    all = mergeSchedules(all, part);
    if (part.length < limit) return all;
  }
}

/** Dates of deployments have no fractions of a millisecond. */
function toExclusive(date: string): string {
  return new Date(Date.parse(date) + 1).toISOString();
}
