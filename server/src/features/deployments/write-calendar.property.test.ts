import fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import type { CalendarSchedule } from './schedules.store.ts';
import { writeCalendar } from './write-calendar.ts';

/** Characters with a special meaning in iCalendar. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\r',
        'END:VEVENT',
        'BEGIN:VALARM',
        '\\',
        '\\n',
        ';',
        ',',
        ':',
        '"',
        '🚜',
        'é'.repeat(80),
      ),
    )
    .map((parts) => parts.join('')),
);

const schedule: fc.Arbitrary<CalendarSchedule> = fc.record({
  id: fc.integer({ min: 1 }).map(String),
  deploymentDate: fc
    .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
    .map((date) => new Date(Math.floor(date.getTime() / 1000) * 1000).toISOString()),
  team: text,
  jiraProject: text,
  appIds: fc.constant(['1']),
  appNames: fc.array(text),
  appSchemas: fc.constant(['one']),
  releaseName: text,
  releaseGroup: text,
  releaseTag: text,
  releaseDescription: text,
  instructions: text,
  dataSource: text,
  environment: text,
  scheduleStatus: fc.constantFrom('MERGE', 'RESOLVED'),
  outcome: fc.constantFrom(null, 'deployed', 'rolledBack', 'calledOff'),
  outcomeNote: text,
  portalUser: text,
  revision: fc.integer({ min: 1, max: 100_000 }),
  updatedAt: fc.constant('2026-11-21T12:00:00.000Z'),
  calendarUid: fc.uuid(),
});

const portalUrl = 'https://portal.example.com';

/** The text after a round trip: normalized line breaks and no control characters. */
function plain(written: string): string {
  return written
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '');
}

describe('iCalendar output', () => {
  it('contains every field of each schedule, whatever its text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(schedule, { selector: ({ calendarUid }) => calendarUid, maxLength: 60 }),
        async (schedules) => {
          const written = await writeCalendar(schedules, { environment: 'Production', portalUrl });
          const calendar = new ICAL.Component(ICAL.parse(written));
          // The slices are what the library writes at once.
          expect(`${calendar}\r\n`).toBe(written);
          const events = calendar.getAllSubcomponents('vevent');
          expect(events.map((event) => event.getAllSubcomponents())).toEqual(schedules.map(() => []));
          const parsed = events.map((component) => {
            const { uid, sequence, summary, startDate } = new ICAL.Event(component);
            const status = component.getFirstPropertyValue('status');
            return { uid, sequence, summary, start: startDate.toJSDate().toISOString(), status };
          });
          expect(parsed).toEqual(
            schedules.map(({ calendarUid, revision, releaseName, team, deploymentDate, outcome }) => ({
              uid: calendarUid,
              sequence: revision,
              summary: plain(`${releaseName} (${team})`),
              start: deploymentDate,
              status: outcome === 'calledOff' ? 'CANCELLED' : 'CONFIRMED',
            })),
          );
        },
      ),
    );
  });

  it('writes lines with valid lengths and endings', async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async (one) => {
        const written = await writeCalendar([one], { environment: 'Production', portalUrl });
        expect(written.endsWith('END:VCALENDAR\r\n')).toBe(true);
        expect(written.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        const lengths = written.split('\r\n').map((line) => Buffer.byteLength(line));
        expect(Math.max(...lengths)).toBeLessThanOrEqual(75);
      }),
    );
  });
});
