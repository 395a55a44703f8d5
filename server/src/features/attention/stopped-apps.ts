import type { App } from '@portal/contract/apps';
import type { Attention } from '@portal/contract/attention';
import type { HeliumAppConfig } from '@portal/platforms/helium/wire';
import { formatTimeOfDay } from '@portal/platforms/reachability';
import type { AttentionSource } from './attention-source.ts';
import { checkApps, limitApps } from './check-apps.ts';
import { LastFound } from './last-found.ts';

/** Reports the caller's apps that are disabled or locked. */
export function stoppedApps(): AttentionSource {
  const lastFound = new LastFound();
  return {
    action: 'config.view',
    subject: 'the configuration of apps',
    async check(caller, signal) {
      const { helium, timeZone } = caller.environment;
      const list = await caller.apps({ forReading: true, signal });
      const { apps, problems } = limitApps(list.apps);
      const memory = lastFound.forCaller(caller, 'platform');
      const { silence } = helium;
      if (silence) {
        const note = `The apps shown are those of ${formatTimeOfDay(list.readAt.getTime(), timeZone)}.`;
        return { items: memory.recall(apps).items, problems: [`${silence.message} ${note}`, ...problems] };
      }
      const credentials = caller.credentials();
      const check = async (app: App) =>
        toAttention(app, await helium.getAppConfig({ credentials, appId: app.id, signal }));
      const options = { subject: 'the configuration', concurrency: 8, signal, system: helium, memory };
      const result = await checkApps(apps, check, options);
      return { ...result, problems: [...result.problems, ...problems] };
    },
  };
}

function toAttention({ id, name }: App, { disabled, locked }: HeliumAppConfig): Attention[] {
  const about = { title: name, at: null, route: `/config/${id}` };
  const items: Attention[] = [];
  if (disabled)
    items.push({ ...about, kind: 'disabled-app', detail: 'Disabled: logins are refused and no functions run.' });
  if (locked)
    items.push({ ...about, kind: 'locked-app', detail: 'Locked: logins are refused; background processes continue.' });
  return items;
}
