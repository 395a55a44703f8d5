import type { App } from '@portal/contract/apps';
import { formatTimeOfDay } from '@portal/platforms/reachability';
import type { CheckResults } from '../../app-checks/app-checks.store.ts';
import type { AppChecks } from '../../app-checks/app-checks.ts';
import type { AttentionSource, FoundItem } from './attention-source.ts';
import { summarizeChecks } from './summarize-checks.ts';

/** Reports the caller's apps that are disabled or locked. */
export function stoppedApps(appChecks: AppChecks): AttentionSource {
  return {
    action: 'config.view',
    subject: 'the configuration of apps',
    async findItems(caller, signal) {
      const { helium, timeZone } = caller.environment;
      const { apps, readAt } = await caller.apps({ forReading: true, signal });
      const ids = apps.map(({ id }) => id);
      const [platform] = await appChecks.view(caller, 'configuration', ids);
      const byId = new Map(platform?.checks.map((check) => [check.app, check]));
      const { silence } = helium;
      const result = summarizeChecks(
        apps.map((app) => ({ app, check: byId.get(app.id) })),
        { subject: 'the configuration', problem: silence?.message ?? platform?.problem ?? null, timeZone, toItems },
      );
      if (!silence) return result;
      const note = `The apps shown are those of ${formatTimeOfDay(readAt.getTime(), timeZone)}.`;
      return { ...result, problems: [`${silence.message} ${note}`] };
    },
  };
}

function toItems({ id, name }: App, { disabled, locked }: CheckResults['configuration']): FoundItem[] {
  const about = { appId: id, title: name, at: null, route: `/config/${id}` };
  const items: FoundItem[] = [];
  if (disabled) items.push({ ...about, kind: 'disabled-app', detail: 'Logins are refused and no functions run.' });
  if (locked)
    items.push({ ...about, kind: 'locked-app', detail: 'Logins are refused; background processes continue.' });
  return items;
}
