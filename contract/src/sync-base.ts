/** Where the sync service of an environment is. */

export const syncBases = ['/sync/api/', '/sync-zm/api/', '/sync-stb/api/'] as const;
export type SyncBase = (typeof syncBases)[number];

/** Where an environment's sync service is. */
export function getSyncBase(environmentName: string): SyncBase {
  if (environmentName === 'Production') return '/sync/api/';
  if (environmentName === 'Zambia-production') return '/sync-zm/api/';
  return '/sync-stb/api/';
}

/** The socket of a base: `/sync/api/ws`, with `/sync/ws` as its alias. */
export function getSyncSocketPaths(base: SyncBase): readonly [string, string] {
  return [`${base}ws`, `${base.replace(/api\/$/, '')}ws`];
}

/** An endpoint under its base: '/list' becomes '/sync/api/list'. */
export function withBase<E extends { readonly path: `/${string}` }>(base: SyncBase, of: E): E {
  return { ...of, path: `${base.slice(0, -1)}${of.path}` };
}
