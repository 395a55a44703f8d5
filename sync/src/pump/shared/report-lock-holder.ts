import { describeLockHolder } from '../../helium/describe-lock-holder.ts';
import type { HorizonHolder } from '../../helium/helium-gateway.ts';
import type { RunHost } from '../../integration/run-host.ts';

/**
 * Returns a listener that publishes which transaction keeps the change log from being read further.
 */
export function reportLockHolder(run: Pick<RunHost, 'publish'>): (holder: HorizonHolder | null) => void {
  return (holder) => {
    const horizonHeldBy = holder && describeLockHolder(holder, Date.now());
    run.publish({ horizonHeldBy, ...(holder && { heliumToJourneyWaitingSinceMs: Date.parse(holder.since) }) });
  };
}
