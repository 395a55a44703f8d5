import type { Secret } from '@portal/kit/secret';
import { type ExternalFetchLimits, fetchExternal } from '../fetch-external.ts';
import type { RosterReading, RosterSource, Span } from '../roster-source.ts';
import type { CalendarExpander } from './calendar-expander.ts';
import type { NamingRules } from './people-of-event.ts';

interface CalendarSourceOptions extends Partial<ExternalFetchLimits> {
  readonly team: string;
  /** Secret, because anyone who knows it can read the calendar. */
  readonly address: Secret;
  /** The zone of all-day events and of times without a zone, unless the feed names one. */
  readonly timeZone: string;
  readonly naming?: NamingRules;
  readonly expander: CalendarExpander;
}

/** Reads an iCalendar feed. An unchanged feed is neither downloaded nor expanded again. */
export function createCalendarSource(options: CalendarSourceOptions): RosterSource {
  const { team, address, timeZone, naming = {}, expander, timeoutMs = 15_000, maxBytes = 10 * 1024 * 1024 } = options;
  const what = `The calendar of ${team}`;
  let last: { readonly spans: string; readonly etag: string; readonly reading: RosterReading } | undefined;
  return {
    kind: 'calendar',
    async read(spans) {
      const key = toCacheKey(spans);
      const cached = last?.spans === key ? last : undefined;
      const headers = { accept: 'text/calendar', ...(cached && { 'if-none-match': cached.etag }) };
      const { body, headers: responseHeaders } = await fetchExternal(what, address.reveal(), headers, {
        timeoutMs,
        maxBytes,
      });
      if (body === null && cached) return cached.reading;
      const job = {
        bytes: body ?? new Uint8Array(),
        contentType: responseHeaders.get('content-type'),
        spans,
        timeZone,
        naming,
      };
      const reading = { ...(await expander.expand(what, job)), numbers: new Map() };
      const etag = responseHeaders.get('etag');
      last = etag === null ? undefined : { spans: key, etag, reading };
      return reading;
    },
  };
}

function toCacheKey(spans: readonly Span[]): string {
  return JSON.stringify(spans);
}
