/**
 * Finds the order in which rows can be written that get values which other rows still have.
 *
 *   a: 1 ─▶ 2   b: 2 ─▶ 3   c: 3 ─▶ 4     c, b, a: each value is free when its row is written
 *   a: 1 ─▶ 2   b: 2 ─▶ 1                 a ring: one row gives up its value for a moment
 *   a: 1 ─▶ 2   and x keeps 2             a is blocked, and so is each row that wants 1
 */

import type { RecordKey } from '../record/record-key.ts';
import type { HeliumOutcome } from './helium-gateway.ts';

/** The ids of the rows that have the values which a row is to get, by its id. */
export type BlockedBy = ReadonlyMap<string, ReadonlySet<string>>;

export interface RowOrder {
  /** The ids of the rows that can be written, in their order. */
  readonly order: readonly string[];
  /** Those of them that have to give up their values first, one for each ring. */
  readonly vacated: ReadonlySet<string>;
}

/**
 * Returns the order of all rows that do not wait for a row outside.
 *
 * @param canVacate whether a row can give up its values for a moment; without it, a ring is blocked
 */
export function orderRows(blockedBy: BlockedBy, canVacate: (id: string) => boolean): RowOrder {
  const dependents = getDependents(blockedBy);
  const remaining = new Map([...blockedBy].map(([id, blockers]) => [id, new Set(blockers)]));
  const block = (ids: readonly string[]) => {
    const blocked = [...ids];
    for (let id = blocked.pop(); id !== undefined; id = blocked.pop())
      if (remaining.delete(id)) blocked.push(...(dependents.get(id) ?? []));
  };
  block([...dependents].flatMap(([id, waiting]) => (blockedBy.has(id) ? [] : waiting)));

  const order: string[] = [];
  const vacated = new Set<string>();
  // They come before another row that wants the same value: without them, nothing gets free.
  const inRings = new Set<string>();
  const free = [...remaining].flatMap(([id, blockers]) => (blockers.size === 0 ? [id] : []));
  const release = (id: string) => {
    const released = (dependents.get(id) ?? []).filter((dependent) => {
      const blockers = remaining.get(dependent);
      return blockers?.delete(id) && blockers.size === 0;
    });
    const isFirst = (one: string) => inRings.has(one);
    // The last one is the next to be written.
    free.push(...released.filter((one) => !isFirst(one)), ...released.filter(isFirst));
  };
  for (;;) {
    for (let id = free.pop(); id !== undefined; id = free.pop()) {
      order.push(id);
      remaining.delete(id);
      release(id);
    }
    const ring = findRing(remaining);
    if (ring.length === 0) return { order, vacated };
    const chosen = ring.find((id) => !vacated.has(id) && canVacate(id));
    if (chosen === undefined) {
      block(ring);
      continue;
    }
    for (const id of ring) inRings.add(id);
    vacated.add(chosen);
    release(chosen);
  }
}

/** Returns the rows that wait for these, then those that wait for them, and so on. */
export function findDependents(blockedBy: BlockedBy, ids: readonly string[], limit: number): string[] {
  const dependents = getDependents(blockedBy);
  const found = new Set<string>();
  for (const id of ids) found.add(id);
  const given = found.size;
  for (const id of found) {
    for (const dependent of dependents.get(id) ?? []) if (found.size - given < limit) found.add(dependent);
  }
  return [...found].slice(given);
}

function getDependents(blockedBy: BlockedBy): Map<string, string[]> {
  const dependents = new Map<string, string[]>();
  for (const [id, blockers] of blockedBy) {
    for (const blocker of blockers) {
      const ids = dependents.get(blocker);
      if (ids) ids.push(id);
      else dependents.set(blocker, [id]);
    }
  }
  return dependents;
}

/** Returns rows each of which waits for the next one, and the last for the first. */
function findRing(remaining: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const path = new Map<string, number>();
  let [id] = remaining.keys();
  while (id !== undefined && !path.has(id)) {
    path.set(id, path.size);
    [id] = remaining.get(id) ?? [];
  }
  const start = id === undefined ? 0 : path.get(id);
  return [...path.keys()].slice(start);
}

/**
 * The failures of rows that are written in their order. A row that waits for one which failed need
 * not be tried.
 */
export class WriteOrder {
  readonly #blockedBy: BlockedBy;
  readonly #failures = new Map<string, HeliumOutcome>();

  constructor(blockedBy: BlockedBy) {
    this.#blockedBy = blockedBy;
  }

  recordFailure(id: string, failure: HeliumOutcome): void {
    this.#failures.set(id, failure);
  }

  /** Returns the row that has failed and has the value of this one, with its failure. */
  findCause({ table, id }: RecordKey): { readonly key: RecordKey; readonly failure: HeliumOutcome } | null {
    for (const blocker of this.#blockedBy.get(id) ?? []) {
      const failure = this.#failures.get(blocker);
      if (failure) return { key: { table, id: blocker }, failure };
    }
    return null;
  }
}
