/**
 * The CommonPage is one page of two sorted lists of ids that start behind the same id: the ids that
 * are present, and the ids that are known. A known id that is not present was deleted, as far as
 * both lists have been read.
 *
 *   present  a b c d │ (more)        known  b c e f
 *                    └ up to here: b c are known and present; e, f may be present too
 */
export interface CommonPage {
  /** Whether both lists have been read up to an id. */
  readonly includes: (id: string) => boolean;
  /** The id to continue behind; null when both lists are complete. */
  readonly lastId: string | null;
}

/** @param limit how many ids were requested of each list: a shorter list is complete */
export function findCommonPage(present: readonly string[], known: readonly string[], limit: number): CommonPage {
  const lastIds = [present, known].flatMap((ids) => (ids.length < limit ? [] : ids.slice(-1)));
  const [lastId] = lastIds.sort();
  return lastId === undefined ? { includes: () => true, lastId: null } : { includes: (id) => id <= lastId, lastId };
}
