import type { Schedule } from '@portal/contract/deployments';
import { readFacts, scheduleLabels } from '@portal/contract/deployments-fields';
import ICAL from 'ical.js';

/** How long a deployment is shown as in a calendar: nobody says how long one takes. */
const shownHours = 1;

/**
 * Schedules as an iCalendar. An event keeps its UID, and counts up SEQUENCE, through all saves of
 * its schedule.
 *
 * @param host Tells the events of one environment from those of all others in the world.
 */
export function writeCalendar(
  schedules: readonly Schedule[],
  { environment, host }: { readonly environment: string; readonly host: string },
): string {
  const calendar = new ICAL.Component('vcalendar');
  calendar.updatePropertyWithValue('prodid', '-//Portal//Deployments//EN');
  calendar.updatePropertyWithValue('version', '2.0');
  calendar.updatePropertyWithValue('calscale', 'GREGORIAN');
  calendar.updatePropertyWithValue('method', 'PUBLISH');
  calendar.updatePropertyWithValue('x-wr-calname', `Deployments ${environment}`);
  for (const schedule of schedules) calendar.addSubcomponent(eventOf(schedule, host));
  return `${calendar.toString()}\r\n`;
}

function eventOf(schedule: Schedule, host: string): ICAL.Component {
  const start = new Date(schedule.deploymentDate);
  const event = new ICAL.Component('vevent');
  event.updatePropertyWithValue('uid', `deployment-${schedule.id}@${host}`);
  event.updatePropertyWithValue('sequence', schedule.revision);
  event.updatePropertyWithValue('dtstamp', utc(new Date(schedule.updatedAt)));
  event.updatePropertyWithValue('last-modified', utc(new Date(schedule.updatedAt)));
  event.updatePropertyWithValue('dtstart', utc(start));
  event.updatePropertyWithValue('dtend', utc(new Date(start.getTime() + shownHours * 3_600_000)));
  event.updatePropertyWithValue('summary', plain(`${schedule.releaseName} (${schedule.team})`));
  event.updatePropertyWithValue('description', plain(describe(schedule)));
  event.updatePropertyWithValue('location', plain(`${schedule.environment}, ${schedule.dataSource}`));
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

/**
 * Lines may be broken; any other sign that steers a reader has no place in a calendar, nor a way to
 * be written in one.
 */
function plain(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '');
}

function utc(instant: Date): ICAL.Time {
  return ICAL.Time.fromJSDate(instant, true);
}
