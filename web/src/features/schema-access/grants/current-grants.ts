import type { AccessGrant } from '@portal/contract/schema-access';

/** Returns the newest active grant per schema. A team granted twice appears once. */
export function currentGrants(newestFirst: readonly AccessGrant[]): AccessGrant[] {
  const seen = new Set<string>();
  return newestFirst.filter(({ state, dataSource, schemaName }) => {
    const schema = JSON.stringify([dataSource, schemaName]);
    if (state !== 'granted' || seen.has(schema)) return false;
    seen.add(schema);
    return true;
  });
}
