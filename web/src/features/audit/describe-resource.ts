import type { AuditEntry } from '@portal/contract/audit';
import { type ResourceKind, resourceKinds } from '@portal/contract/resource-kind';

const labels: Readonly<Record<ResourceKind, string>> = {
  app: 'App',
  dashboard: 'Sync dashboard',
  dataSource: 'Data source',
  databaseHost: 'Database server',
  grant: 'Grant',
  integration: 'Integration',
  schedule: 'Deployment',
  schema: 'Schema',
  session: 'Session',
  team: 'Team',
};

/** Returns the label of a kind; the kind itself if this page does not know it yet. */
export function getKindLabel(kind: string | null): string {
  const known = resourceKinds.find((each) => each === kind);
  return known === undefined ? (kind ?? 'Resource') : labels[known];
}

/**
 * Describes what an entry is about. Apps have only their name; anything else has its kind, because
 * its name may be that of an app.
 */
export function describeResource({
  resourceKind,
  resource,
  resourceName,
}: Pick<AuditEntry, 'resourceKind' | 'resource' | 'resourceName'>): string | null {
  const name = resourceName ?? resource;
  return name === null || resourceKind === 'app' ? name : `${getKindLabel(resourceKind)} ${name}`;
}
