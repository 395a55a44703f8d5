import { KeyMap, type RecordKey } from '../../record/record-key.ts';

/** UploadFailures counts the calls with a record's files that failed in a row, in this run. */
export class UploadFailures {
  readonly #failures = new KeyMap<number>();

  count(key: RecordKey): number {
    return this.#failures.get(key) ?? 0;
  }

  recordFailure(key: RecordKey): void {
    this.#failures.set(key, this.count(key) + 1);
  }

  recordSuccess(key: RecordKey): void {
    if (this.#failures.has(key)) this.#failures.set(key, 0);
  }
}
