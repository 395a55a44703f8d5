import type { App } from '@portal/contract/apps';
import type { Attention } from '@portal/contract/attention';
import type { HeliumAppConfig } from '@portal/platforms/helium/wire';
import type { AttentionSource } from './attention-source.ts';
import { checkApps } from './check-apps.ts';

/** Reports the caller's apps that are disabled or locked. */
export const stoppedApps: AttentionSource = {
  action: 'config.view',
  subject: 'the configuration of apps',
  async check(caller, signal) {
    const { apps } = await caller.apps();
    const credentials = caller.credentials();
    const check = async (app: App) => {
      const { helium } = caller.environment;
      return toAttention(app, await helium.getAppConfig({ credentials, appId: app.id, signal }));
    };
    return checkApps(apps, check, { subject: 'the configuration', concurrency: 8, signal });
  },
};

function toAttention({ id, name }: App, { disabled, locked }: HeliumAppConfig): Attention[] {
  const about = { title: name, at: null, route: `/config/${id}` };
  const items: Attention[] = [];
  if (disabled)
    items.push({ ...about, kind: 'disabled-app', detail: 'Disabled: logins are refused and no functions run.' });
  if (locked)
    items.push({ ...about, kind: 'locked-app', detail: 'Locked: logins are refused; background processes continue.' });
  return items;
}
