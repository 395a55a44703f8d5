/**
 * One page of two lists of ids, both in order and read behind the same id: what is there, and what
 * was known to be there. A known id that is not there was deleted, as far as both lists have been
 * read.
 *
 *   there  a b c d │ (more)        known  b c e f
 *                  └ up to here: b c are known and there; e, f may be there yet
 */
export interface CommonPage {
  /** Whether an id is within what both lists have been read to. */
  readonly includes: (id: string) => boolean;
  /** The id to continue behind; null: both lists are at their end. */
  readonly lastId: string | null;
}

/** @param limit how many ids were requested of each: a list with fewer is at its end */
export function findCommonPage(there: readonly string[], known: readonly string[], limit: number): CommonPage {
  const ends = [there, known].flatMap((ids) => (ids.length < limit ? [] : ids.slice(-1)));
  const [lastId] = ends.sort();
  return lastId === undefined ? { includes: () => true, lastId: null } : { includes: (id) => id <= lastId, lastId };
}
