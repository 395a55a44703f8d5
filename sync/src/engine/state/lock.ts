import { isOutage } from '@portal/kit/postgres/pool';
import { keyText, type RecordKey } from '../../record/record-key.ts';
import type { Direction } from '../../sync-state/held-records.store.ts';

/** The part of the state that a transaction changes: a direction and its records, or everything. */
export type StatePart = { readonly direction: Direction; readonly keys: readonly RecordKey[] } | 'everything';

interface Entry {
  readonly direction: Direction | null;
  /** null for everything. */
  readonly keys: ReadonlySet<string> | null;
  readonly ended: Promise<void>;
}

/**
 * The StateLock keeps transactions of one run from changing the same part of the integration's
 * state at the same time. Only this process may change it, as the fence ensures, so no lock in the
 * database is needed: the two directions wait for each other only when they have a record in
 * common. Transactions start in the order of the calls, and must not be nested.
 */
export class StateLock {
  readonly #entries = new Set<Entry>();
  /**
   * A commit without an answer may still take effect, so nothing may be read before the next run.
   */
  #outage: unknown = null;

  async run<T>(part: StatePart, work: () => Promise<T>): Promise<T> {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const entry =
      part === 'everything'
        ? { direction: null, keys: null, ended }
        : { direction: part.direction, keys: new Set(part.keys.map(keyText)), ended };
    const before = [...this.#entries].filter((other) => isCommon(entry, other));
    this.#entries.add(entry);
    try {
      await Promise.all(before.map((other) => other.ended));
      if (this.#outage !== null) throw this.#outage;
      return await work();
    } catch (error) {
      if (isOutage(error)) this.#outage = error;
      throw error;
    } finally {
      this.#entries.delete(entry);
      end();
    }
  }
}

function isCommon(one: Entry, other: Entry): boolean {
  const { keys } = other;
  if (one.keys === null || keys === null || one.direction === other.direction) return true;
  for (const key of one.keys) if (keys.has(key)) return true;
  return false;
}
