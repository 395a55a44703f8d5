import { formatInstant, formatInZone, formatZoneOffset } from '../lib/format.ts';
import { getServerNow } from '../lib/server-clock.ts';

/**
 * Shows an instant in a time zone, with its offset where the reader's own clock differs; local time and
 * UTC on hover.
 */
export function ZoneTime({ at, timeZone }: { at: string; timeZone: string }) {
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return <span>{at}</span>;
  const offset = formatZoneOffset(instant, timeZone);
  return (
    <time dateTime={instant.toISOString()} title={`${formatInstant(instant, false)}\n${formatInstant(instant, true)}`}>
      {formatInZone(instant, timeZone, new Date(getServerNow()))}
      {offset !== formatZoneOffset(instant) && ` ${offset}`}
    </time>
  );
}
