/**
 * What the engine knows of records, in memory: their states, what is to be sent, and what is held.
 */
import type { MergedEntry } from '../engine/to-helium/merger/merged-entry.ts';
import type { HeldRow } from '../sync-state/held-records.store.ts';
import { areFieldsEqual, type Fields } from './fields.ts';
import type { Conflict } from './merge.ts';
import { absentRecord } from './record-state.fixture.ts';
import type { Intent, RecordState } from './record-state.ts';

type MissingStage = 'waits for the op-log' | 'to be retried';

export class EngineRecords {
  readonly conflicts: Conflict[] = [];
  /** Called with each conflict and the time of Journey's entry. */
  onConflict: (id: string, conflict: Conflict, journeyAtMs: number) => void = () => undefined;
  /** Records whose state in Journey Helium rejected. */
  readonly held = new Map<string, HeldRow>();
  /** Held records to try again. */
  readonly due = new Set<string>();
  /**
   * Combines the change log and the dirty list. An entry is removed once the batch that read it is
   * acknowledged.
   */
  readonly dirty = new Map<string, number>();
  /** Whether a record without a state is absent in Journey; otherwise it is looked up. */
  isComplete = true;
  readonly states = new Map<string, RecordState>();
  /**
   * Records that Journey did not have when they were patched. The op-log will show why. If it is
   * proven to be past that without an explanation, and the record is missing again, it is created
   * with a put.
   */
  readonly #missing = new Map<string, MissingStage>();
  #lastNumber = 0;

  get(id: string): RecordState {
    return this.states.get(id) ?? absentRecord;
  }

  changeIntents(id: string, change: (intents: readonly Intent[]) => Intent[]): void {
    const state = this.states.get(id);
    if (state) this.states.set(id, { ...state, intents: change(state.intents) });
  }

  createNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  markDirty(id: string): void {
    this.dirty.set(id, this.createNumber());
  }

  forget(): void {
    this.states.clear();
    this.dirty.clear();
    this.isComplete = false;
  }

  addConflicts({ key, changedAtMs }: MergedEntry, conflicts: readonly Conflict[]): void {
    for (const conflict of conflicts) {
      this.conflicts.push(conflict);
      this.onConflict(key.id, conflict, changedAtMs ?? 0);
    }
  }

  /** Leaves a held record as it is until it changes again. */
  skip(id: string): void {
    const held = this.held.get(id);
    if (!held) return;
    this.held.set(id, { ...held, state: 'skipped' });
    this.due.delete(id);
  }

  /** Tries a held record again, as an operator requests. */
  retry(id: string): void {
    const held = this.held.get(id);
    if (!held) return;
    this.held.set(id, { ...held, state: 'dead' });
    this.due.add(id);
  }

  recordMissing(id: string): void {
    // When the op-log has already shown the deletion, there is nothing to wait for.
    const state = this.get(id);
    if (state.journey !== null && this.#missing.get(id) !== 'to be retried') {
      this.#missing.set(id, 'waits for the op-log');
      return;
    }
    this.#missing.delete(id);
    this.states.set(id, { ...state, journey: null });
    this.markDirty(id);
  }

  /** Returns whether Journey was missing the record. */
  recordFound(id: string): boolean {
    return this.#missing.delete(id);
  }

  /** The op-log is past what would explain why records are missing. */
  retryMissing(): void {
    for (const [id, stage] of this.#missing) {
      if (stage !== 'waits for the op-log') continue;
      this.#missing.set(id, 'to be retried');
      this.markDirty(id);
    }
  }

  /** Ends the wait for the op-log where Journey has the record as it is known. */
  settleFound(find: (id: string) => Fields | null): void {
    for (const [id, stage] of this.#missing) {
      const object = find(id);
      if (stage !== 'waits for the op-log' || object === null || !areFieldsEqual(object, this.get(id).journey))
        continue;
      this.#missing.delete(id);
      this.markDirty(id);
    }
  }

  get isWaitingForOpLog(): boolean {
    return [...this.#missing.values()].includes('waits for the op-log');
  }

  get isHeldByLock(): boolean {
    return [...this.held.values()].some(({ state }) => state === 'waiting');
  }
}
