import type { RecordKey } from '../../record/record-key.ts';
import { Waiters } from './waiters.ts';

/**
 * The RefreshQueue holds records that differ from what is known of Journey. A comparison adds them,
 * and the op-log loop reads them again.
 */
export class RefreshQueue {
  readonly #keys: RecordKey[] = [];
  /** Counted since the run started. */
  #added = 0;
  #refreshed = 0;
  readonly #waiters = new Waiters();

  /** The record to refresh next; undefined when there is none. */
  get first(): RecordKey | undefined {
    return this.#keys[0];
  }

  /**
   * Resolves when these records are refreshed; rejects with the signal's reason when it is aborted
   * first.
   */
  add(keys: readonly RecordKey[], signal: AbortSignal): Promise<void> {
    this.#keys.push(...keys);
    this.#added += keys.length;
    const upTo = this.#added;
    return this.#waiters.waitUntil(() => this.#refreshed >= upTo, signal);
  }

  /** Removes the first record after it was refreshed. */
  removeFirst(): void {
    if (this.#keys.shift() === undefined) return;
    this.#refreshed += 1;
    this.#waiters.check();
  }
}
