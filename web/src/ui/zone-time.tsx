import { formatInstant } from '../lib/format/instant.ts';

const formatByZone = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatByZone.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  formatByZone.set(timeZone, format);
  return format;
}

/** "Mon 23 Nov, 08:00" by the clock of the zone; with its year where that is not the year of `now`. */
export function formatInZone(instant: Date, timeZone: string, now: Date): string {
  const partsOf = (at: Date) =>
    Object.fromEntries(
      formatOf(timeZone)
        .formatToParts(at)
        .map(({ type, value }) => [type, value]),
    );
  const { weekday, day, month, year, hour, minute } = partsOf(instant);
  return `${weekday} ${day} ${month}${year === partsOf(now).year ? '' : ` ${year}`}, ${hour}:${minute}`;
}

/** An instant by the clock of a zone that is not necessarily the reader's; local time and UTC on hover. */
export function ZoneTime({ at, timeZone }: { at: string; timeZone: string }) {
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={instant.toISOString()} title={`${formatInstant(instant, false)}\n${formatInstant(instant, true)}`}>
      {formatInZone(instant, timeZone, new Date())}
    </time>
  );
}
