/** Calendars as on-call services publish them, with invented names. */
// cspell:ignore RICAL TZSOURCE denhaven NONSGML
import { expect, it } from 'vitest';
import { expandCalendar } from './expand-calendar.ts';
import { unpackShifts } from './packed-shifts.ts';
import type { NamingRules } from './people-of-event.ts';

const week = { from: new Date('2026-03-09T00:00Z'), to: new Date('2026-03-16T00:00Z') };
const namesByEmail = new Map([
  ['lerato@company.example', 'Lerato Nkosi'],
  ['johan@company.example', 'Johan Botha'],
]);

/** PagerDuty publishes one event per shift; its attendees have no `mailto:`. */
const pagerDuty = [
  'BEGIN:VCALENDAR',
  'PRODID;X-RICAL-TZSOURCE=TZINFO:-//com.denhaven2/NONSGML ri_cal gem//EN',
  'CALSCALE:GREGORIAN',
  'VERSION:2.0',
  'X-WR-CALNAME:On Call Schedule for Stock',
  ...[
    ['20260309T060000Z', '20260312T060000Z', 'lerato@company.example', 'Lerato Nkosi'],
    ['20260312T060000Z', '20260316T060000Z', 'johan@company.example', 'Johan Botha'],
  ].flatMap(([start, end, email, name], at) => [
    'BEGIN:VEVENT',
    `DTEND;VALUE=DATE-TIME:${end}`,
    `DTSTART;VALUE=DATE-TIME:${start}`,
    `ATTENDEE:${email}`,
    `UID:Q1S46N8B8ADP9${at}`,
    'URL:https://company.pagerduty.example/schedules#PSTOCK1',
    `SUMMARY:On Call - ${name} - Stock`,
    'END:VEVENT',
  ]),
  'END:VCALENDAR',
];

/** Titles of Opsgenie begin with the name. */
const opsgenie = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//OpsGenie//OpsGenie//EN',
  'METHOD:PUBLISH',
  ...[
    ['20260309T060000Z', '20260312T060000Z', 'Lerato Nkosi'],
    ['20260312T060000Z', '20260316T060000Z', 'Johan Botha'],
  ].flatMap(([start, end, name], at) => [
    'BEGIN:VEVENT',
    `UID:5b1c0f3e-${at}`,
    `DTSTART:${start}`,
    `DTEND:${end}`,
    `SUMMARY:${name} is on-call for Stock_schedule`,
    'END:VEVENT',
  ]),
  'END:VCALENDAR',
];

/** Grafana OnCall writes the display name; canceled turns stay in its export. */
const grafana = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Grafana Labs//Grafana On-Call//',
  'CALSCALE:GREGORIAN',
  ...[
    ['20260309T060000Z', '20260312T060000Z', 'Lerato Nkosi', 'CONFIRMED'],
    ['20260312T060000Z', '20260316T060000Z', 'Zanele Sithole', 'CANCELLED'],
    ['20260312T060000Z', '20260316T060000Z', 'Johan Botha', 'CONFIRMED'],
  ].flatMap(([start, end, name, status], at) => [
    'BEGIN:VEVENT',
    `SUMMARY:${name}`,
    `DTSTART;VALUE=DATE-TIME:${start}`,
    `DTEND;VALUE=DATE-TIME:${end}`,
    `UID:OS1-PK1-${at}`,
    `STATUS:${status}`,
    'END:VEVENT',
  ]),
  'END:VCALENDAR',
];

it.each<[string, readonly string[], NamingRules]>([
  ['PagerDuty, by its titles', pagerDuty, { namePattern: '^On Call - (.+) - Stock$' }],
  ['PagerDuty, by its attendees', pagerDuty, { nameFrom: 'attendee', namesByEmail }],
  ['Opsgenie', opsgenie, { namePattern: '^(.+) is on-call' }],
  ['Grafana OnCall', grafana, {}],
])('the calendar that the service publishes shows the people on call: %s', (_service, lines, naming) => {
  const { shifts, notes, warnings } = expandCalendar(lines.join('\r\n'), [week], 'Africa/Johannesburg', naming);
  expect([...notes, ...warnings]).toEqual([]);
  expect(
    unpackShifts(shifts)[0]?.map(({ name, start, end }) => [name, start.toISOString(), end.toISOString()]),
  ).toEqual([
    ['Lerato Nkosi', '2026-03-09T06:00:00.000Z', '2026-03-12T06:00:00.000Z'],
    ['Johan Botha', '2026-03-12T06:00:00.000Z', '2026-03-16T06:00:00.000Z'],
  ]);
});
