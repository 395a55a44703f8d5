import { type ActivityInterval, activitySpans } from '@portal/contract/sync/activity';
import { type Figures, toLagMs } from './figures.ts';

/** What one integration did in one of the shortest intervals. */
export interface IntegrationActivity extends ActivityInterval {
  readonly id: string;
}

type Amounts = Omit<ActivityInterval, 'at'>;

/** Counts what integrations sync and how long changes wait, from the figures of their runs. */
export class ActivityTally {
  readonly #activities = new Map<string, IntegrationActivity>();

  /**
   * Counts what a run synced between two reports, and how long changes had waited until the later
   * one.
   */
  count(id: string, before: Figures, after: Figures, nowMs: number): void {
    this.#add(id, nowMs, {
      toJourney: getIncrease(before.syncedToJourney, after.syncedToJourney),
      toHelium: getIncrease(before.syncedToHelium, after.syncedToHelium),
      toJourneyLagMs: toLagMs(before.heliumToJourneyWaitingSinceMs, nowMs),
      toHeliumLagMs: toLagMs(before.journeyToHeliumWaitingSinceMs, nowMs),
    });
  }

  /** Returns everything that was counted since the last call. */
  take(): IntegrationActivity[] {
    const taken = [...this.#activities.values()];
    this.#activities.clear();
    return taken;
  }

  /** Takes back what could not be stored. */
  putBack(activities: readonly IntegrationActivity[]): void {
    for (const { id, at, ...amounts } of activities) this.#add(id, at, amounts);
  }

  #add(id: string, nowMs: number, amounts: Amounts): void {
    if (Object.values(amounts).every((amount) => amount === 0)) return;
    const { stepMs } = activitySpans.day;
    const at = Math.floor(nowMs / stepMs) * stepMs;
    const key = `${id}/${at}`;
    const counted = this.#activities.get(key);
    this.#activities.set(key, { id, at, ...(counted ? sum(counted, amounts) : amounts) });
  }
}

/** A run counts from zero. */
function getIncrease(before: number, after: number): number {
  return after < before ? after : after - before;
}

function sum(one: Amounts, other: Amounts): Amounts {
  return {
    toJourney: one.toJourney + other.toJourney,
    toHelium: one.toHelium + other.toHelium,
    toJourneyLagMs: Math.max(one.toJourneyLagMs, other.toJourneyLagMs),
    toHeliumLagMs: Math.max(one.toHeliumLagMs, other.toHeliumLagMs),
  };
}
