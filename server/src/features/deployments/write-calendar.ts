import { setImmediate } from 'node:timers/promises';
import type { Schedule } from '@portal/contract/deployments';
import { readFacts, scheduleLabels } from '@portal/contract/deployments-fields';
import ICAL from 'ical.js';

/** Length of a calendar event; the duration of a deployment is not recorded. */
const eventHours = 1;

/** Takes a few milliseconds to write. */
const eventsPerSlice = 25;

/**
 * Writes schedules as an iCalendar, in slices between which other requests run. An event keeps its
 * UID across saves of its schedule, and SEQUENCE increases with each save.
 *
 * @param host Makes the event UIDs of an environment globally unique.
 */
export async function writeCalendar(
  schedules: readonly Schedule[],
  { environment, host }: { readonly environment: string; readonly host: string },
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
    parts.push(`${toEvent(schedule, host).toString()}\r\n`);
    if (index % eventsPerSlice === eventsPerSlice - 1) await setImmediate();
  }
  return `${parts.join('')}${end}\r\n`;
}

function toEvent(schedule: Schedule, host: string): ICAL.Component {
  const start = new Date(schedule.deploymentDate);
  const event = new ICAL.Component('vevent');
  event.updatePropertyWithValue('uid', `deployment-${schedule.id}@${host}`);
  event.updatePropertyWithValue('sequence', schedule.revision);
  event.updatePropertyWithValue('dtstamp', toUtc(new Date(schedule.updatedAt)));
  event.updatePropertyWithValue('last-modified', toUtc(new Date(schedule.updatedAt)));
  event.updatePropertyWithValue('dtstart', toUtc(start));
  event.updatePropertyWithValue('dtend', toUtc(new Date(start.getTime() + eventHours * 3_600_000)));
  event.updatePropertyWithValue('summary', stripControlCharacters(`${schedule.releaseName} (${schedule.team})`));
  event.updatePropertyWithValue('description', stripControlCharacters(describe(schedule)));
  event.updatePropertyWithValue('location', stripControlCharacters(`${schedule.environment}, ${schedule.dataSource}`));
  event.updatePropertyWithValue('status', schedule.scheduleStatus === 'RESOLVED' ? 'CANCELLED' : 'CONFIRMED');
  return event;
}

function describe(schedule: Schedule): string {
  // The event shows the first four elsewhere, and the next two follow from the apps and the tag.
  const { deploymentDate, team, releaseName, dataSource, appSchemas, releaseDescription, ...labels } =
    scheduleLabels('Apps');
  const { jiraProject, releaseGroup, ...others } = { ...labels, releaseTag: 'Release' };
  const facts = readFacts(schedule, { jiraProject, releaseGroup, ...others }, (date) => date);
  return [...facts.map(({ label, text }) => `${label}: ${text}`), `Scheduled by: ${schedule.portalUser}`].join('\n');
}

/** Removes control characters except line breaks and tabs, which iCalendar cannot represent. */
function stripControlCharacters(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '');
}

function toUtc(instant: Date): ICAL.Time {
  return ICAL.Time.fromJSDate(instant, true);
}
