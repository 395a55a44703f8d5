import { type AppConfig, getConfig } from '@portal/contract/app-config';
import type { App } from '@portal/contract/apps';
import type { Schedule } from '@portal/contract/deployments';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { useQueries } from '@tanstack/react-query';
import { callOptions, refreshEvery } from '../../api/use-call.ts';
import { appChanges } from '../../apps/app-config.ts';
import { useIntegrations } from '../../features/sync/use-integrations.ts';
import { useRefusal, useSession } from '../../session/use-session.ts';

const refreshMs = 15_000;

/** An app of a release, with what is known of its state. */
export interface ReleaseApp {
  readonly id: string;
  /** As stored with the schedule. */
  readonly name: string;
  /** null if the user has no access to it */
  readonly app: App | null;
  /** undefined until loaded */
  readonly config: AppConfig | undefined;
  readonly problem: unknown;
  /** undefined until the integrations are loaded; null if it has none */
  readonly integration: SyncIntegration | null | undefined;
}

/** Loads the configuration and the integration of each app of a release, and refreshes them. */
export function useReleaseApps({ appIds, appNames }: Pick<Schedule, 'appIds' | 'appNames'>) {
  const { session, apps } = useSession();
  const { baseUrl } = session.environment;
  const canViewConfig = useRefusal('config.view') === null;
  const canViewSync = useRefusal('sync.view') === null;
  const integrations = useIntegrations(canViewSync);
  const found = appIds.map((id) => apps.find((app) => app.id === id) ?? null);
  const configs = useQueries({
    queries: appIds.map((appId, at) =>
      callOptions(
        getConfig,
        { baseUrl, appId },
        {
          invalidatedBy: appChanges,
          enabled: canViewConfig && found[at] !== null,
          refetchOnWindowFocus: 'always',
          refetchInterval: refreshEvery(refreshMs),
        },
      ),
    ),
  });
  const rows = appIds.map(
    (id, at): ReleaseApp => ({
      id,
      name: found[at]?.name ?? appNames[at] ?? id,
      app: found[at] ?? null,
      config: configs[at]?.data,
      problem: configs[at]?.error ?? null,
      integration: integrations.data && (integrations.data.find((each) => each.id === id) ?? null),
    }),
  );
  return { rows, integrations };
}

export type ReleaseAppsLoad = ReturnType<typeof useReleaseApps>;

/** Describes what a release has left locked or disabled. */
export function describeLeftovers(rows: readonly ReleaseApp[]): string[] {
  const list = (what: string, isLeft: (row: ReleaseApp) => boolean | undefined) => {
    const names = rows.filter(isLeft).map(({ name }) => name);
    return names.length === 0 ? [] : [`${what}: ${names.join(', ')}.`];
  };
  return [
    ...list('Still locked', ({ config }) => config?.locked),
    ...list('Still disabled', ({ config }) => config?.disabled),
    ...list('Sync still disabled', ({ integration }) => integration?.status === 'Disabled'),
  ];
}
