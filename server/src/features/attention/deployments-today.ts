import type { AttentionItem } from '@portal/contract/attention';
import type { Schedule } from '@portal/contract/deployments';
import { DateTime } from 'luxon';
import type { AttentionSource } from './attention-source.ts';

/** Both instants are inclusive. */
type ListSchedules = (environment: string, from: Date, to: Date) => Promise<readonly Schedule[]>;

const maxNames = 3;

/** Reports unresolved deployments scheduled for today in the environment's time zone. */
export function deploymentsToday(listOpen: ListSchedules): AttentionSource {
  return {
    action: 'deployments.view',
    subject: 'today’s deployments',
    async findItems({ environment: { name, timeZone } }) {
      const now = DateTime.now().setZone(timeZone);
      const schedules = await listOpen(name, now.startOf('day').toJSDate(), now.endOf('day').toJSDate());
      return { items: schedules.map(toItem), problems: [] };
    },
  };
}

function toItem({ id, releaseName, team, appNames, deploymentDate }: Schedule): AttentionItem {
  const names = appNames.slice(0, maxNames).join(', ');
  const more = appNames.length > maxNames ? ` and ${appNames.length - maxNames} more` : '';
  return {
    kind: 'deployment',
    title: releaseName,
    detail: `${team} releases ${names}${more}.`,
    at: deploymentDate,
    route: `/deployments/${id}`,
  };
}
