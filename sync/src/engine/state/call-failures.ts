import { keyText, type RecordKey } from '../../record/record-key.ts';

/** What is known of a record from the calls with it that failed while Journey answered others. */
export interface Suspicion {
  /** Failed calls since the last one that succeeded, in this run. */
  readonly failures: number;
  /** Those of them in which it was alone. */
  readonly failuresAlone: number;
  /** The maximum number of records in the next call with it. */
  readonly maxCallSize: number;
}

const none: Suspicion = { failures: 0, failuresAlone: 0, maxCallSize: Number.POSITIVE_INFINITY };

/**
 * CallFailures searches for the record at fault in calls that fail: its next call has half as many
 * records, until it is alone. Others leave the search with the first call that succeeds.
 */
export class CallFailures {
  readonly #suspicions = new Map<string, Suspicion>();

  get(key: RecordKey): Suspicion {
    return this.#suspicions.size === 0 ? none : (this.#suspicions.get(keyText(key)) ?? none);
  }

  recordFailure(keys: readonly RecordKey[]): void {
    for (const key of keys) {
      const { failures, failuresAlone } = this.get(key);
      this.#suspicions.set(keyText(key), {
        failures: failures + 1,
        failuresAlone: failuresAlone + (keys.length === 1 ? 1 : 0),
        maxCallSize: Math.ceil(keys.length / 2),
      });
    }
  }

  recordSuccess(keys: readonly RecordKey[]): void {
    if (this.#suspicions.size === 0) return;
    for (const key of keys) this.#suspicions.delete(keyText(key));
  }
}
