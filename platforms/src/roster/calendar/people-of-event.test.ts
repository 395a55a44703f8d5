import { writeCalendar } from '@portal/simulators/roster/rotation-feed';
import { describe, expect, it } from 'vitest';
import { expandCalendar } from './expand-calendar.ts';
import { unpackShifts } from './packed-shifts.ts';
import type { NamingRules } from './people-of-event.ts';

const day = { from: new Date('2026-01-05T00:00Z'), to: new Date('2026-01-06T00:00Z') };
const when = ['DTSTART:20260105T080000Z', 'DTEND:20260105T160000Z'];

/** Returns who is on support by a feed of such events, and the remarks about the others. */
function readPeople(events: readonly (readonly string[])[], rules: NamingRules = {}) {
  const text = writeCalendar(events.map((lines, at) => [`UID:${at}`, ...when, ...lines]));
  const { shifts, notes, warnings } = expandCalendar(text, [day], 'UTC', rules);
  return {
    people: unpackShifts(shifts).flatMap((one) => one.map(({ name }) => name)),
    notes,
    ...(warnings.length > 0 && { warnings }),
  };
}

describe('who an event is about', () => {
  it('is its title, or else each attendee who takes part', () => {
    expect(readPeople([['SUMMARY:Thabo Mokoena', 'ATTENDEE;CN=Other:mailto:other@company.example']])).toEqual({
      people: ['Thabo Mokoena'],
      notes: [],
    });
    expect(
      readPeople([
        [
          'SUMMARY:',
          'ATTENDEE;CUTYPE=ROOM;CN=Room 4:mailto:room4@company.example',
          'ATTENDEE;CUTYPE=resource;CN=Pager:mailto:pager@company.example',
          'ATTENDEE;PARTSTAT=declined;CN=Pieter van Wyk:mailto:pieter@company.example',
          'ATTENDEE;ROLE=NON-PARTICIPANT;CN=Their manager:mailto:manager@company.example',
          'ATTENDEE;CN=Naledi Khumalo:mailto:naledi@company.example',
          'ATTENDEE;PARTSTAT=NEEDS-ACTION:MAILTO:ayanda@company.example',
        ],
      ]).people,
    ).toEqual(['ayanda@company.example', 'Naledi Khumalo']);
  });

  it('is no one if it names no one, which a note reports', () => {
    expect(
      readPeople([['SUMMARY:Thabo Mokoena'], [], ['ATTENDEE;CUTYPE=ROOM;CN=Room 4:mailto:room4@company.example']]),
    ).toEqual({
      people: ['Thabo Mokoena'],
      notes: ['2 events are not shown: no one on support is named.'],
    });
  });

  it('is its attendees where the configuration says so, as in wiki calendars', () => {
    const duty = ['SUMMARY:Duty', 'ATTENDEE;CN=Naledi Khumalo:mailto:naledi@company.example'];
    expect(readPeople([duty]).people).toEqual(['Duty']);
    expect(readPeople([duty, ['SUMMARY:Public holiday']], { nameFrom: 'attendee' })).toEqual({
      people: ['Naledi Khumalo'],
      notes: ['One event is not shown: no one on support is named.'],
    });
  });

  it.each([
    ['On Call - Lerato Nkosi - Stock', '^On Call - (.+) - Stock$'],
    ['Lerato Nkosi is on call for Stock', '^(.+?) is on call'],
    ['[L1] Lerato Nkosi', '^\\[L1\\] (.+)$'],
    ['Lerato Nkosi', '^\\p{Lu}\\p{L}+ \\p{Lu}\\p{L}+$'],
  ])('is a part of the title, by a pattern: %s', (title, namePattern) => {
    expect(readPeople([[`SUMMARY:${title}`], ['SUMMARY:Public holiday: all offices closed']], { namePattern })).toEqual(
      {
        people: ['Lerato Nkosi'],
        notes: ['One event is not shown: the title is not that of a shift.'],
      },
    );
  });

  it('is its attendees if the pattern, which chooses shifts, is about their titles', () => {
    const attendee = 'ATTENDEE;CN=Naledi Khumalo:mailto:naledi@company.example';
    expect(
      readPeople(
        [
          ['SUMMARY:Duty (day)', attendee],
          ['SUMMARY:Leave', attendee],
        ],
        {
          nameFrom: 'attendee',
          namePattern: '^Duty',
        },
      ),
    ).toEqual({
      people: ['Naledi Khumalo'],
      notes: ['One event is not shown: the title is not that of a shift.'],
    });
  });

  it('is the configured name of an email address, however the calendar calls the person', () => {
    const namesByEmail = new Map([['naledi@company.example', 'Naledi Khumalo']]);
    expect(readPeople([['ATTENDEE;CN=NK:mailto:Naledi@Company.example']], { namesByEmail }).people).toEqual([
      'Naledi Khumalo',
    ]);
    expect(readPeople([['SUMMARY:naledi@company.example']], { namesByEmail }).people).toEqual(['Naledi Khumalo']);
  });

  it.each(['Busy', 'busy', 'Free', 'Tentative'])('is no one if a feed calls each event %s', (title) => {
    expect(readPeople([[`SUMMARY:${title}`], [`SUMMARY:${title}`]])).toEqual({
      people: [],
      notes: [],
      warnings: [`All events are called “${title}”: the calendar is published without details, so it names no one.`],
    });
    expect(readPeople([[`SUMMARY:${title}`], ['SUMMARY:Thabo Mokoena']]).people).toEqual(
      [title, 'Thabo Mokoena'].sort((one, other) => one.localeCompare(other)),
    );
  });

  it('ignores canceled events in its notes', () => {
    expect(readPeople([['STATUS:CANCELLED'], ['SUMMARY:Thabo Mokoena']])).toEqual({
      people: ['Thabo Mokoena'],
      notes: [],
    });
  });
});
