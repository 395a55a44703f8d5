import { getServerNow } from '../api/server-clock.ts';
import { formatInstant, formatInZone, formatTimeInZone, formatZoneOffset } from '../format/instants.ts';

/**
 * Shows an instant in a time zone with its offset; local time and UTC on hover. Without the date in
 * a list of one day.
 */
export function ZoneTime({ at, timeZone, hasDate = true }: { at: string; timeZone: string; hasDate?: boolean }) {
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={instant.toISOString()} title={`${formatInstant(instant, false)}\n${formatInstant(instant, true)}`}>
      {hasDate ? formatInZone(instant, timeZone, new Date(getServerNow())) : formatTimeInZone(instant, timeZone)}{' '}
      {formatZoneOffset(instant, timeZone)}
    </time>
  );
}
