import type { HorizonHolder } from '../../../helium/helium-gateway.ts';
import type { RunHost } from '../../../integration/run-host.ts';

/**
 * Returns a listener that publishes which transaction keeps the change log from being read further.
 */
export function reportLockHolder(run: Pick<RunHost, 'publish'>): (holder: HorizonHolder | null) => void {
  return (holder) => {
    run.publish({ horizonHolder: holder, ...(holder && { heliumToJourneyWaitingSinceMs: Date.parse(holder.since) }) });
  };
}
