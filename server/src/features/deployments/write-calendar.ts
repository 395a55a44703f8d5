import { setImmediate } from 'node:timers/promises';
import { outcomeLabels, readFacts, scheduleLabels } from '@portal/contract/deployments-fields';
import ICAL from 'ical.js';
import type { CalendarSchedule } from './schedules.store.ts';

// The library does not count the blank at the start of a folded line, and 75 octets are allowed.
ICAL.foldLength = 74;

/** Length of a calendar event; the duration of a deployment is not recorded. */
const eventHours = 1;

/** Takes a few milliseconds to write. */
const eventsPerSlice = 25;

/**
 * Writes schedules as an iCalendar, in slices between which other requests run. An event keeps its
 * UID across saves of its schedule, and SEQUENCE increases with each save.
 *
 * @param portalUrl The address of the portal, for links to the schedules; null if it is not
 *   configured.
 */
export async function writeCalendar(
  schedules: readonly CalendarSchedule[],
  { environment, portalUrl }: { readonly environment: string; readonly portalUrl: string | null },
): Promise<string> {
  const calendar = new ICAL.Component('vcalendar');
  calendar.updatePropertyWithValue('prodid', '-//Portal//Deployments//EN');
  calendar.updatePropertyWithValue('version', '2.0');
  calendar.updatePropertyWithValue('calscale', 'GREGORIAN');
  calendar.updatePropertyWithValue('method', 'PUBLISH');
  calendar.updatePropertyWithValue('x-wr-calname', `Deployments ${environment}`);
  const end = 'END:VCALENDAR';
  const parts = [calendar.toString().slice(0, -end.length)];
  for (const [index, schedule] of schedules.entries()) {
    parts.push(`${toEvent(schedule, portalUrl).toString()}\r\n`);
    if (index % eventsPerSlice === eventsPerSlice - 1) await setImmediate();
  }
  return `${parts.join('')}${end}\r\n`;
}

function toEvent(schedule: CalendarSchedule, portalUrl: string | null): ICAL.Component {
  const link = portalUrl === null ? null : new URL(`#/deployments/${schedule.id}`, portalUrl).href;
  const start = new Date(schedule.deploymentDate);
  const event = new ICAL.Component('vevent');
  event.updatePropertyWithValue('uid', schedule.calendarUid);
  event.updatePropertyWithValue('sequence', schedule.revision);
  event.updatePropertyWithValue('dtstamp', toUtc(new Date(schedule.updatedAt)));
  event.updatePropertyWithValue('last-modified', toUtc(new Date(schedule.updatedAt)));
  event.updatePropertyWithValue('dtstart', toUtc(start));
  event.updatePropertyWithValue('dtend', toUtc(new Date(start.getTime() + eventHours * 3_600_000)));
  event.updatePropertyWithValue('summary', stripControlCharacters(`${schedule.releaseName} (${schedule.team})`));
  event.updatePropertyWithValue('description', stripControlCharacters(describe(schedule, link)));
  event.updatePropertyWithValue('location', stripControlCharacters(`${schedule.environment}, ${schedule.dataSource}`));
  event.updatePropertyWithValue('status', schedule.outcome === 'calledOff' ? 'CANCELLED' : 'CONFIRMED');
  if (link !== null) event.updatePropertyWithValue('url', link);
  return event;
}

function describe(schedule: CalendarSchedule, link: string | null): string {
  // The event shows the first four elsewhere, and the next two follow from the apps and the tag.
  const { deploymentDate, team, releaseName, dataSource, appSchemas, releaseDescription, ...labels } =
    scheduleLabels('Apps');
  const { jiraProject, releaseGroup, ...others } = { ...labels, releaseTag: 'Release' };
  const facts = readFacts(schedule, { jiraProject, releaseGroup, ...others }, (date) => date);
  const { outcome, outcomeNote, scheduleStatus, portalUser } = schedule;
  return [
    ...facts.map(({ label, text }) => `${label}: ${text}`),
    ...(outcome === null ? [] : [`Outcome: ${outcomeLabels[outcome]}`]),
    ...(outcomeNote === '' ? [] : [`Note: ${outcomeNote}`]),
    `${scheduleStatus === 'RESOLVED' ? 'Resolved' : 'Scheduled'} by: ${portalUser}`,
    // Many calendars do not show the URL of an event.
    ...(link === null ? [] : [link]),
  ].join('\n');
}

/** Removes control characters except line breaks and tabs, which iCalendar cannot represent. */
function stripControlCharacters(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '');
}

function toUtc(instant: Date): ICAL.Time {
  return ICAL.Time.fromJSDate(instant, true);
}
