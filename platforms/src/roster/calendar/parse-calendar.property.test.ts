import fc from 'fast-check';
import ICAL from 'ical.js';
import { expect, it } from 'vitest';
import { readEvent } from './feed-event.ts';
import { parseCalendars } from './parse-calendar.ts';
import { PeopleOfEvents } from './people-of-event.ts';
import { FeedClocks } from './zones/feed-clocks.ts';
import { findZoneClock } from './zones/zone-clock.ts';

/** Characters of a line, with those special to iCalendar more often than others. */
const signs = fc.constantFrom(...'aZé語🌍 ,;:=^\\"0'.split(/(?:)/u), 'END:VEVENT', '\\n', '\\N', 'TZID=');
const texts = fc.array(signs, { maxLength: 12 }).map((parts) => parts.join(''));

/** Folds lines at arbitrary positions. */
function folded(line: string, every: number): string {
  return [...line].flatMap((sign, at) => (at > 0 && at % every === 0 ? ['\r\n ', sign] : [sign])).join('');
}

it('parses calendars as the library does, however they are written and folded', () => {
  fc.assert(
    fc.property(
      texts,
      // A backslash has no special meaning there, except in the library.
      texts.map((text) => text.replaceAll(/["\\]/g, '')),
      fc.integer({ min: 1, max: 75 }),
      fc.constantFrom('\r\n', '\n'),
      (summary, invited, every, lineEnd) => {
        const written = [
          'BEGIN:VCALENDAR',
          'BEGIN:VEVENT',
          'DTSTART;TZID="Africa/Johannesburg":20260105T080000',
          folded(`summary;LANGUAGE=en:${summary}`, every),
          folded(`ATTENDEE;ROLE=CHAIR;CN="${invited}":mailto:a@example.com`, every),
          'BEGIN:VALARM',
          'DTSTART:20200101T000000Z',
          'END:VALARM',
          'END:VEVENT',
          'END:VCALENDAR',
        ].join(lineEnd);
        const [calendar] = parseCalendars(written);
        const [event] = calendar?.events ?? [];
        if (!calendar || !event) throw new Error('the event is missing');
        const library = new ICAL.Component(ICAL.parse(written)).getFirstSubcomponent('vevent');
        const librarySummary = String(library?.getFirstPropertyValue('summary') ?? '').trim();
        const own = readEvent(event, new FeedClocks(calendar, 'UTC', expect.unreachable), new PeopleOfEvents({}));
        expect(event.properties.map(({ name }) => name)).toEqual(['DTSTART', 'SUMMARY', 'ATTENDEE']);
        expect(own.start.clock).toBe(findZoneClock('Africa/Johannesburg'));
        if (librarySummary !== '') expect(own.people).toEqual([librarySummary.replace(/\s+/g, ' ')]);
        else if (invitedBy(library) !== '') expect(own.people).toEqual([invitedBy(library)]);
      },
    ),
    { numRuns: 500 },
  );
});

function invitedBy(event: ICAL.Component | null): string {
  const name = event?.getFirstProperty('attendee')?.getFirstParameter('cn') ?? '';
  return name.trim().replace(/\s+/g, ' ');
}
