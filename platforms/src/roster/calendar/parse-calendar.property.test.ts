import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import ICAL from 'ical.js';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { readEvent } from './feed-event.ts';
import { parseCalendars } from './parse-calendar.ts';
import { PeopleOfEvents } from './people-of-event.ts';
import { findPython } from './second-readers.fixture.ts';
import { FeedClocks } from './zones/feed-clocks.ts';
import { findZoneClock } from './zones/zone-clock.ts';

/** Characters of a line, with those special to iCalendar more often than others. */
const signs = fc.constantFrom(...'aZé語🌍 ,;:=^\\"0'.split(/(?:)/u), 'END:VEVENT', '\\n', '\\N', 'TZID=');
const texts = fc.array(signs, { maxLength: 12 }).map((parts) => parts.join(''));

/** Folds lines at arbitrary positions. */
function folded(line: string, every: number): string {
  return [...line].flatMap((sign, at) => (at > 0 && at % every === 0 ? ['\r\n ', sign] : [sign])).join('');
}

const feed = fc
  .record({
    summary: texts,
    // A backslash has no special meaning there, except in the library.
    invited: texts.map((text) => text.replaceAll(/["\\]/g, '')),
    every: fc.integer({ min: 1, max: 75 }),
    lineEnd: fc.constantFrom('\r\n', '\n'),
  })
  .map(({ summary, invited, every, lineEnd }) =>
    [
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
    ].join(lineEnd),
  );

function readOnlyEvent(text: string) {
  const [calendar] = parseCalendars(text);
  const [event] = calendar?.events ?? [];
  if (!calendar || !event) throw new Error('the event is missing');
  return { event, read: readEvent(event, new FeedClocks(calendar, 'UTC', expect.unreachable), new PeopleOfEvents({})) };
}

it('parses calendars as the library does, however they are written and folded', () => {
  fc.assert(
    fc.property(feed, (text) => {
      const { event, read } = readOnlyEvent(text);
      const library = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent');
      const librarySummary = String(library?.getFirstPropertyValue('summary') ?? '').trim();
      expect(event.properties.map(({ name }) => name)).toEqual(['DTSTART', 'SUMMARY', 'ATTENDEE']);
      expect(read.start.clock).toBe(findZoneClock('Africa/Johannesburg'));
      if (librarySummary !== '') expect(read.people).toEqual([librarySummary.replace(/\s+/g, ' ')]);
      else if (invitedBy(library) !== '') expect(read.people).toEqual([invitedBy(library)]);
    }),
    { numRuns: 500 },
  );
});

const program = `
import json, sys
from icalendar import Calendar
for line in sys.stdin:
    event = Calendar.from_ical(json.loads(line)).walk('VEVENT')[0]
    print(json.dumps([' '.join(str(event['SUMMARY']).split()), event['DTSTART'].dt.isoformat()]))
`;

it.skipIf(!findPython())("parses names and starts as python's icalendar does", () => {
  const feeds = fc.sample(feed, { numRuns: 500, seed: fc.readConfigureGlobal().seed ?? 1 });
  const input = feeds.map((text) => JSON.stringify(text)).join('\n');
  const { stdout, stderr } = spawnSync(findPython() ?? '', ['-c', program], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(feeds.length);
  for (const [index, line] of lines.entries()) {
    const [summary, start] = z.tuple([z.string(), z.string()]).parse(JSON.parse(line));
    const [name] = readOnlyEvent(feeds[index] ?? '').read.people;
    // It also unescapes what RFC 5545 does not escape, and an escaped backslash before an n.
    const isAmbiguous = /\\[^nN;,]/.test(feeds[index]?.replaceAll(/\r?\n /g, '') ?? '');
    if (summary !== '' && !isAmbiguous) expect(name, feeds[index]).toBe(summary);
    expect(start).toBe('2026-01-05T08:00:00+02:00');
  }
});

function invitedBy(event: ICAL.Component | null): string {
  const name = event?.getFirstProperty('attendee')?.getFirstParameter('cn') ?? '';
  return name.trim().replace(/\s+/g, ' ');
}
