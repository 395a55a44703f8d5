/**
 * One page of two lists of ids, both in order, read behind the same id: what is there, and what was known to be there.
 * What is known and not there is gone, as far as both have been read.
 *
 *   there  a b c d │ (more)        known  b c e f
 *                  └ up to here: b c are known and there; e, f may be there yet
 */
export interface PageOfBoth {
  /** Whether an id is within what both lists have been read to. */
  readonly includes: (id: string) => boolean;
  /** Read on behind it; null: both are at their end. */
  readonly lastId: string | null;
}

/** @param limit as many as were asked for of each: a list with fewer is at its end */
export function pageOfBoth(there: readonly string[], known: readonly string[], limit: number): PageOfBoth {
  const ends = [there, known].flatMap((ids) => (ids.length < limit ? [] : ids.slice(-1)));
  const [lastId] = ends.sort();
  return lastId === undefined ? { includes: () => true, lastId: null } : { includes: (id) => id <= lastId, lastId };
}
