import { formatInstant, formatInZone } from '../lib/format.ts';

/** Shows an instant in a time zone other than the reader's; local time and UTC on hover. */
export function ZoneTime({ at, timeZone }: { at: string; timeZone: string }) {
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={instant.toISOString()} title={`${formatInstant(instant, false)}\n${formatInstant(instant, true)}`}>
      {formatInZone(instant, timeZone, new Date())}
    </time>
  );
}
