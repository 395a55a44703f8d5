import type { App } from '@portal/contract/apps';
import type { SyncIntegration, SyncStatus } from '@portal/contract/sync/integration';
import { sortRows } from '../../ui/table/rows.ts';

/** An app that is, or can be, part of a dashboard. */
export interface AppRow {
  readonly id: string;
  readonly appName: string;
  /** null when it has no integration, or no longer has one. */
  readonly status: SyncStatus | null;
}

export const appReadings = [{ id: 'appName', value: ({ appName }: AppRow) => appName }];

/** Returns all integrations plus the picked apps without one, sorted by name. */
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
