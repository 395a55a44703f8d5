import type { Attention } from '@portal/contract/attention';
import type { Schedule } from '@portal/contract/deployments';
import { DateTime } from 'luxon';
import type { AttentionSource } from './attention-source.ts';

/** Both instants are part of the span. */
type ListSchedules = (environment: string, from: Date, to: Date) => Promise<readonly Schedule[]>;

const mostNames = 3;

/** What is scheduled for today by the clock of the environment, and not resolved. */
export function deploymentsToday(listOpen: ListSchedules): AttentionSource {
  return {
    action: 'deployments.view',
    subject: 'today’s deployments',
    async look({ environment: { name, timeZone } }) {
      const now = DateTime.now().setZone(timeZone);
      const schedules = await listOpen(name, now.startOf('day').toJSDate(), now.endOf('day').toJSDate());
      return { items: schedules.map(itemOf), problems: [] };
    },
  };
}

function itemOf({ id, releaseName, team, appNames, deploymentDate }: Schedule): Attention {
  const names = appNames.slice(0, mostNames).join(', ');
  const more = appNames.length > mostNames ? ` and ${appNames.length - mostNames} more` : '';
  return {
    kind: 'deployment',
    title: releaseName,
    detail: `${team} releases ${names}${more}.`,
    at: deploymentDate,
    route: `/deployments?schedule=${id}`,
  };
}
