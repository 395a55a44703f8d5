import type { RecordKey } from '../../record/record-key.ts';
import { Waiters } from './waiters.ts';

/**
 * Records that a comparison found to differ from what is known of Journey: the loop that applies
 * the op-log reads them again.
 */
export class RefreshQueue {
  readonly #keys: RecordKey[] = [];
  /** Since the run began. */
  #added = 0;
  #refreshed = 0;
  readonly #waiters = new Waiters();

  /** The record to refresh next; undefined: none. */
  get first(): RecordKey | undefined {
    return this.#keys[0];
  }

  /**
   * Resolves when these were refreshed; rejects with the signal's reason when that is aborted
   * first.
   */
  add(keys: readonly RecordKey[], signal: AbortSignal): Promise<void> {
    this.#keys.push(...keys);
    this.#added += keys.length;
    const upTo = this.#added;
    return this.#waiters.waitUntil(() => this.#refreshed >= upTo, signal);
  }

  /** The first one was refreshed. */
  removeFirst(): void {
    if (this.#keys.shift() === undefined) return;
    this.#refreshed += 1;
    this.#waiters.check();
  }
}
