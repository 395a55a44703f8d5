import type { App } from '@portal/contract/apps';
import type { SyncIntegration, SyncStatus } from '@portal/contract/sync-integration';
import { sortRows } from '../../ui/table-rows.ts';

/** An app of which a dashboard is, or may be, made. */
export interface AppRow {
  readonly id: string;
  readonly appName: string;
  /** null: it has no integration, or none any more. */
  readonly status: SyncStatus | null;
}

export const appReadings = [{ id: 'appName', value: ({ appName }: AppRow) => appName }];

/** Every integration, and what was picked and has none any more, by name. */
export function getAppRows(
  integrations: readonly SyncIntegration[],
  picked: readonly string[],
  apps: readonly App[],
): readonly AppRow[] {
  const known = new Set(integrations.map(({ id }) => id));
  const namesById = new Map(apps.map(({ id, name }) => [id, name]));
  const withoutIntegration = picked.filter((id) => !known.has(id));
  const rows = [
    ...integrations.map(({ id, appName, status }) => ({ id, appName, status })),
    ...withoutIntegration.map((id) => ({ id, appName: namesById.get(id) ?? id, status: null })),
  ];
  return sortRows(rows, appReadings, { id: 'appName', descending: false });
}
