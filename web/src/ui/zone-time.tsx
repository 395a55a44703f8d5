import { formatInstant, formatInZone, formatZoneOffset } from '../lib/format.ts';
import { getServerNow } from '../lib/server-clock.ts';

/** Shows an instant in a time zone with its offset; local time and UTC on hover. */
export function ZoneTime({ at, timeZone }: { at: string; timeZone: string }) {
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={instant.toISOString()} title={`${formatInstant(instant, false)}\n${formatInstant(instant, true)}`}>
      {formatInZone(instant, timeZone, new Date(getServerNow()))} {formatZoneOffset(instant, timeZone)}
    </time>
  );
}
