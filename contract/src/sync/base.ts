/** The base paths of the sync service. */

export const syncBases = ['/sync/api/', '/sync-zm/api/', '/sync-stb/api/'] as const;
export type SyncBase = (typeof syncBases)[number];

/** Returns the base path of an environment's sync service. */
export function getSyncBase(environmentName: string): SyncBase {
  if (environmentName === 'Production') return '/sync/api/';
  if (environmentName === 'Zambia-production') return '/sync-zm/api/';
  return '/sync-stb/api/';
}

/** Returns the socket paths of a base: `/sync/api/ws`, and its alias `/sync/ws`. */
export function getSyncSocketPaths(base: SyncBase): readonly [`/${string}`, `/${string}`] {
  return [`${base}ws`, `/${base.slice(1).replace(/api\/$/, '')}ws`];
}

/** Returns the endpoint under its base: '/list' becomes '/sync/api/list'. */
export function withBase<E extends { readonly path: `/${string}` }>(base: SyncBase, endpoint: E): E {
  return { ...endpoint, path: `${base.slice(0, -1)}${endpoint.path}`, base };
}
