import type { App } from '@portal/contract/apps';
import type { Attention } from '@portal/contract/attention';
import type { HeliumAppConfig } from '@portal/platforms/helium/wire';
import { askOfApps } from './ask-of-apps.ts';
import type { AttentionSource } from './attention-source.ts';

/** The caller's apps that are disabled or locked. */
export const stoppedApps: AttentionSource = {
  action: 'config.view',
  subject: 'the configuration of apps',
  async look(caller, signal) {
    const { apps } = await caller.apps();
    const credentials = caller.credentials();
    const ask = async (app: App) => {
      const { helium } = caller.environment;
      return stopsOf(app, await helium.getAppConfig({ credentials, appId: app.id, signal }));
    };
    return askOfApps(apps, ask, { subject: 'the configuration', atATime: 8, signal });
  },
};

function stopsOf({ id, name }: App, { disabled, locked }: HeliumAppConfig): Attention[] {
  const about = { title: name, at: null, route: `/config/${id}` };
  const items: Attention[] = [];
  if (disabled)
    items.push({ ...about, kind: 'disabled-app', detail: 'Disabled: nobody can log in and no functions run.' });
  if (locked)
    items.push({ ...about, kind: 'locked-app', detail: 'Locked: nobody can log in; background processes continue.' });
  return items;
}
