const listRefreshMs = 3000;
const maxShortList = 50;

/**
 * Returns how often a list of this length is refreshed: a short one every 3 s, a long one less
 * often, so that a viewer never loads more than about 17 integrations a second.
 */
export function getListRefreshMs(count: number): number {
  return listRefreshMs * Math.max(1, count / maxShortList);
}
