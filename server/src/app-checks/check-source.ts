import type { Silent } from '@portal/platforms/reachability';
import type { CheckResults, CheckSourceKey, CheckSubject, DueApp } from './app-checks.store.ts';

/** The CheckSource is the component that checks apps in one external system, at the pace it bears. */
export interface CheckSource extends CheckSourceKey {
  /** How many apps are chosen at a time. */
  readonly batchSize: number;
  /** Why calls fail at once; undefined while the system answers. */
  readonly silence: Silent | undefined;
  /** Returns the apps that the system has; null if it has all. Throws Unreachable. */
  listApps(signal: AbortSignal): Promise<ReadonlySet<string> | null>;
  /** Returns undefined if no session may read the app. Throws Unreachable. */
  check(due: DueApp, signal: AbortSignal): Promise<CheckResults[CheckSubject] | undefined>;
}
