import { describeLockHolder } from '../../helium/describe-lock-holder.ts';
import type { HorizonHolder } from '../../helium/helium-end.ts';
import type { Run } from '../../integration/run.ts';

/**
 * Returns a listener that publishes which transaction keeps the change log from being read further.
 */
export function reportLockHolder(run: Pick<Run, 'publish'>): (holder: HorizonHolder | null) => void {
  return (holder) => {
    const horizonHeldBy = holder && describeLockHolder(holder, Date.now());
    run.publish({ horizonHeldBy, ...(holder && { heliumToJourneyWaitingSinceMs: Date.parse(holder.since) }) });
  };
}
