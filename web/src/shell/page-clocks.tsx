import { getServerNow } from '../api/server-clock.ts';
import { formatZoneOffset } from '../format/instants.ts';
import { useStore } from '../state/store.ts';
import { showsExactTimes, toggleExactTimes } from '../ui/exact-times.ts';

const readersZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * Names the clocks of the times on the page, and switches between relative and exact times.
 *
 * @param timeZone the zone of the environment, which planned times use
 */
export function PageClocks({ timeZone }: { timeZone: string }) {
  const isExact = useStore(showsExactTimes);
  return (
    <p>
      <span>
        {timeZone === readersZone
          ? `Times: ${describeClock(timeZone)}`
          : `Planned times: ${describeClock(timeZone)}. Other times: ${describeClock(readersZone)}.`}
      </span>{' '}
      <button type="button" className="link-button" onClick={toggleExactTimes}>
        {isExact ? 'Show relative times' : 'Show exact times'}
      </button>
    </p>
  );
}

function describeClock(timeZone: string): string {
  return timeZone === 'UTC' ? timeZone : `${timeZone}, UTC${formatZoneOffset(new Date(getServerNow()), timeZone)}`;
}
