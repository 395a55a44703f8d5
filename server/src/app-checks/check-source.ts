import type { Silent } from '@portal/platforms/reachability';
import type { CheckResults, CheckSourceKey, CheckSubject } from './app-checks.store.ts';

/**
 * Checks apps in one external system, at the pace it bears.
 */
export interface CheckSource extends CheckSourceKey {
  /** An app is not checked again within this time, unless its page is open. */
  readonly minAgeMs: number;
  /** Why calls fail at once; undefined while the system answers. */
  readonly silence: Silent | undefined;
  /** Returns the apps that the system has; null if it has all. Throws a Problem. */
  listApps(signal: AbortSignal): Promise<ReadonlySet<string> | null>;
  /**
   * Returns 'refused' if the sessions that view the app may not read it, and undefined if none
   * views it any more. Throws a Problem.
   */
  check(app: string, signal: AbortSignal): Promise<CheckResults[CheckSubject] | 'refused' | undefined>;
}
