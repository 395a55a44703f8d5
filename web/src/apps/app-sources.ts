import type { App } from '@portal/contract/apps';

/** The apps that one data source contains, as far as it is known. */
export interface SourceApps {
  readonly dataSource: string;
  /** undefined while loading, and when the data source does not respond */
  readonly apps: readonly App[] | undefined;
}

/**
 * Returns the data source of each app. Omits apps whose schemas are in several: the user has to
 * choose one.
 */
export function indexSources(sources: readonly SourceApps[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const { dataSource, apps = [] } of sources) {
    for (const { id } of apps) {
      if (found.has(id)) ambiguous.add(id);
      found.set(id, dataSource);
    }
  }
  for (const id of ambiguous) found.delete(id);
  return found;
}
