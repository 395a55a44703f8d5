import type { AccessGrant } from '@portal/contract/schema-access';

/**
 * Who has access now: per schema the newest grant that holds. A team that was granted it twice has
 * it once.
 */
export function currentGrants(newestFirst: readonly AccessGrant[]): AccessGrant[] {
  const seen = new Set<string>();
  return newestFirst.filter(({ state, dataSource, schemaName }) => {
    const schema = JSON.stringify([dataSource, schemaName]);
    if (state !== 'granted' || seen.has(schema)) return false;
    seen.add(schema);
    return true;
  });
}
