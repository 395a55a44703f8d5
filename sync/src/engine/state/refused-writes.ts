/** How many records in a row are refused with one code before a write counts as always refused. */
const maxRefusedInRow = 100;

interface Refusals {
  readonly kind: string;
  readonly records: number;
}

/**
 * RefusedWrites notices when Helium refuses every row of a table: a hundred records in a row with
 * the same code, and none accepted in between. A write is named as in 'insert of region'.
 */
export class RefusedWrites {
  readonly #refusals = new Map<string, Refusals>();
  readonly #acceptedAtMs = new Map<string, number>();

  recordAccepted(write: string, nowMs: number): void {
    this.#refusals.delete(write);
    this.#acceptedAtMs.set(write, nowMs);
  }

  /** When such a write was last accepted in this run: what was refused before has other reasons. */
  getAcceptedAtMs(write: string): number {
    return this.#acceptedAtMs.get(write) ?? 0;
  }

  /** Returns whether the write is always refused, and since these records. */
  recordRefused(write: string, kind: string, records: number): { readonly isAlways: boolean; readonly isNew: boolean } {
    const before = this.#refusals.get(write);
    const known = before?.kind === kind ? before.records : 0;
    this.#refusals.set(write, { kind, records: known + records });
    const isAlways = known + records >= maxRefusedInRow;
    return { isAlways, isNew: isAlways && known < maxRefusedInRow };
  }
}
