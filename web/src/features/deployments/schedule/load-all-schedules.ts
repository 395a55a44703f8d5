import type { Schedule } from '@portal/contract/deployments';
import { mergeSchedules } from './merge-schedules.ts';

/** A response with this many is parsed within a few milliseconds. */
const usualPartSize = 1_000;

/** Reads schedules as `getSchedules` of the contract does, the latest date first. */
export type ReadSchedules = (request: {
  readonly limit?: number;
  readonly to?: string;
  readonly since?: string;
}) => Promise<readonly Schedule[]>;

interface Loaded {
  /** The schedules with the latest dates. */
  readonly newest: readonly Schedule[];
  /** When the load of these began, as ISO instant. */
  readonly startedAt: string;
}

/**
 * Loads all schedules in parts, each behind the earliest date that is loaded, and at the end what
 * was saved in between: it may have moved to a date that was read before.
 */
export async function loadAllSchedules(
  read: ReadSchedules,
  { newest, startedAt }: Loaded,
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
    if (part.length < limit) return mergeSchedules(all, await read({ since: startedAt }));
  }
}

/** Dates of deployments have no fractions of a millisecond. */
function toExclusive(date: string): string {
  return new Date(Date.parse(date) + 1).toISOString();
}
