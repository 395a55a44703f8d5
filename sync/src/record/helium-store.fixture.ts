/**
 * Helium in memory: its rows, with the times of people's edits, and the rows that they have locked.
 */

import type { MergedEntry, RecordEntries } from '../engine/to-helium/merger/merged-entry.ts';
import { deferEntries, mergeEntries } from '../engine/to-helium/merger.ts';
import type { MergeContext } from './engine-files.fixture.ts';
import { areFieldsEqual, type Fields } from './fields.ts';
import type { TimedRow } from './helium-times.ts';

export class HeliumStore {
  readonly rows = new Map<string, TimedRow>();
  /** Rows that a session of the app has locked. */
  readonly locked = new Set<string>();
  readonly deletedAtMs = new Map<string, number>();
  readonly #context: MergeContext;
  /** All columns, without values. */
  readonly #empty: Fields;
  /** Of people's transactions only; the engine writes with plain SQL. */
  readonly #transactionTimes = new Map<string, number>();
  #nextTransaction = 1;

  constructor(context: MergeContext, empty: Fields) {
    this.#context = context;
    this.#empty = empty;
  }

  /** Returns whether the edit changes anything. */
  edit(id: string, change: Fields | null, nowMs: number): boolean {
    const row = this.rows.get(id);
    if (change === null) {
      if (!this.rows.delete(id)) return false;
      this.deletedAtMs.set(id, nowMs);
      return true;
    }
    const fields = { ...this.#empty, ...row?.fields, ...change };
    if (areFieldsEqual(row?.fields ?? null, fields)) return false;
    const txId = this.#createTransaction();
    this.#transactionTimes.set(txId, nowMs);
    this.rows.set(id, { fields, changedAtMs: nowMs, txId });
    return true;
  }

  /** Writes a row as it is after a merge. */
  write(id: string, rowAfter: MergedEntry['rowAfter']): void {
    if (rowAfter === null) {
      this.rows.delete(id);
      return;
    }
    const { fields, changedAtMs } = rowAfter;
    this.rows.set(id, { fields, changedAtMs, txId: this.#createTransaction() });
  }

  /** Merges a record's entries into its row, as it is done for a page. */
  merge(record: RecordEntries, nowMs: number): MergedEntry {
    const { id } = record.key;
    const found = this.rows.get(id);
    const row = found ? { id, ...found } : null;
    if (row && this.locked.has(id)) return deferEntries(this.#context, record, row, 'Its row is locked.');
    return mergeEntries(this.#context, record, row, {
      transactionTimes: this.#transactionTimes,
      deletedAtMs: this.deletedAtMs.get(id) ?? null,
      isMissingUnlogged: false,
      nowMs,
    });
  }

  #createTransaction(): string {
    this.#nextTransaction += 1;
    return String(this.#nextTransaction);
  }
}
