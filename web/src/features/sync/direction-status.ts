import type { SyncDirection } from '@portal/contract/sync/records';
import { formatDuration } from '../../format/durations.ts';

/** Whether a direction's status says that it waits for a platform or for its next attempt. */
export function isWaiting(status: string): boolean {
  return status.startsWith('Waiting') || status.startsWith('Interrupted');
}

export const directionLabels: Readonly<Record<SyncDirection, string>> = {
  'helium-to-journey': 'Helium to Journey',
  'journey-to-helium': 'Journey to Helium',
};

/** Returns how long the oldest change has waited: "2 min 3 s". */
export function formatLag(lagMs: number): string {
  return lagMs === 0 ? 'none' : formatDuration(lagMs);
}
