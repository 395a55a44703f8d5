/** Journey → Helium in memory: reads the op-log, and merges its entries into Helium's rows. */

import { findFileChanges, withoutFiles } from '../engine/files/book/waiting.ts';
import type { MergedEntry, RecordEntries } from '../engine/to-helium/merger/merged-entry.ts';
import { mergeEchoes } from '../engine/to-helium/merger.ts';
import { findHold, mustReadAgain } from '../engine/to-helium/receipts.ts';
import type { JourneyEntry } from '../journey/journey-gateway.ts';
import { toKey } from './engine-files.fixture.ts';
import type { EngineParts } from './engine-parts.fixture.ts';
import { areFieldsEqual, type Fields } from './fields.ts';
import { absentRecord } from './record-state.fixture.ts';
import type { Intent, RecordState } from './record-state.ts';
import { isPast, settleWrites } from './unconfirmed-writes.ts';
import { mergeDeletion } from './unknown-record.ts';

interface EntrySource {
  readonly isListed?: boolean;
  /** Whether an entry of the op-log was written after everything that the intent did. */
  readonly isAfter?: (intent: Intent) => boolean;
}

export class EngineToHelium {
  cursor = 0;
  readonly #parts: EngineParts;
  /** The length of the op-log when a record was looked up. Entries before that say nothing new. */
  readonly #listedAt = new Map<string, number>();

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** Continues from the end of the op-log. */
  skipToEnd(): void {
    this.#listedAt.clear();
    this.cursor = this.#parts.store.logLength;
  }

  /** Reads up to this many entries of the op-log. */
  read(count: number): void {
    const { records, store, echoes, files, nowMs } = this.#parts;
    for (const [id, { state }] of records.held) if (state === 'waiting') records.due.add(id);
    this.tryDue();
    const requested = echoes.snapshot();
    const from = this.cursor;
    const { end } = store;
    const entries = store.readLog(from, count);
    this.cursor += entries.length;
    for (const [index, entry] of entries.entries()) {
      if (from + index < (this.#listedAt.get(entry.id) ?? 0)) continue;
      const proof = echoes.getProof(entry.changedAtMs, nowMs);
      this.#apply(files.toEntry(entry), { isAfter: (intent) => isPast(intent, proof) });
    }
    if (entries.length > 0)
      echoes.recordRead(
        entries.map(({ changedAtMs }) => changedAtMs),
        nowMs,
      );
    if (this.cursor < end) return;
    echoes.allowSending(requested);
    // As many polls as it takes until something is checked.
    for (let upTo: number | null = null; echoes.hasUnsettled && upTo === null; ) {
      upTo = echoes.recordEnd(requested);
      if (upTo !== null) this.#settle(upTo);
    }
  }

  /**
   * Merges due records again. Of files only the hashes are known, so records with files are read
   * again.
   */
  tryDue(): void {
    const { records, files, store } = this.#parts;
    for (const id of [...records.due]) {
      records.due.delete(id);
      const { journey } = records.get(id);
      if (files.hasFile(journey)) {
        const object = store.objects.get(id);
        // The op-log will show its deletion.
        if (object) this.#applyListed(id, object, true);
        continue;
      }
      const changedAtMs = records.held.get(id)?.changedAtMs ?? null;
      const operation = journey === null ? 'delete' : 'update';
      const fields = journey && files.withoutWaiting(id, journey);
      this.#apply({ sequence: '0', key: toKey(id), operation, fields, changedAtMs });
    }
  }

  /** Asks Journey for a record of which nothing is known, and merges it. */
  lookUp(id: string): RecordState {
    const { records, store, helium, context, nowMs } = this.#parts;
    const fields = store.objects.get(id) ?? null;
    if (records.isComplete || fields === null) return absentRecord;
    const { changedAtMs } = store.findLastEntry(id) ?? { changedAtMs: 0 };
    if (!helium.rows.has(id)) {
      const deletedAtMs = helium.deletedAtMs.get(id) ?? nowMs;
      const { winner, conflict } = mergeDeletion(deletedAtMs, { fields, changedAtMs }, context.policy);
      if (conflict) records.conflicts.push(conflict);
      if (winner === 'helium') return { ...absentRecord, journey: fields };
    }
    this.#applyListed(id, fields, false);
    return records.get(id);
  }

  #applyListed(id: string, fields: Fields, isListed: boolean): void {
    const { store, files } = this.#parts;
    const { changedAtMs } = store.findLastEntry(id) ?? { changedAtMs: 0 };
    this.#listedAt.set(id, store.logLength);
    this.#apply(files.toEntry({ id, operation: 'update', fields, changedAtMs }), { isListed });
  }

  #apply(entry: JourneyEntry, { isListed = false, isAfter }: EntrySource = {}): void {
    const { records, helium, files, context, nowMs } = this.#parts;
    const record = {
      ...this.toRecord(entry, isListed),
      isAfter: isAfter && ((_entry: JourneyEntry, intent: Intent) => isAfter(intent)),
    };
    let rest: RecordEntries = record;
    let merged = isListed ? undefined : mergeEchoes(record);
    if (!merged) {
      merged = helium.merge(record, nowMs);
      // The bytes of a file that Helium lacks are not there when the page is applied.
      const columns = findFileChanges(context, merged);
      if (columns.length > 0) {
        rest = withoutFiles(record, columns);
        merged = helium.merge(rest, nowMs);
      }
    }
    this.finish(merged);
    const { settled, replaced } = files.track(rest, nowMs);
    if (settled.length > 0) records.markDirty(entry.key.id);
    records.addConflicts(
      merged,
      replaced.map(({ conflict }) => conflict),
    );
  }

  toRecord(entry: JourneyEntry, isListed = false): RecordEntries {
    const { records } = this.#parts;
    const { id } = entry.key;
    const known = { ...records.get(id), listedAtMs: null, missing: null };
    return { key: entry.key, entries: [entry], known, held: records.held.get(id), isListed };
  }

  /** Writes the row and the state of the record. */
  finish(merged: MergedEntry): void {
    const { records, helium } = this.#parts;
    const { id } = merged.key;
    const { known, row, rowAfter, state } = merged;
    if (records.recordFound(id)) records.markDirty(id);
    records.addConflicts(merged, merged.conflicts);
    const isChanged = !areFieldsEqual(rowAfter?.fields ?? null, row?.fields ?? null);
    const isRejected = isChanged && this.#parts.rejects(rowAfter?.fields ?? null);
    const hold = findHold(
      merged,
      isRejected ? { status: 'refused', kind: 'check', reason: '' } : { status: 'written' },
    );
    if (hold) {
      const { base = null, helium, changedAtMs = null, ...rest } = hold;
      records.held.set(id, { ...rest, base, helium, changedAtMs, attempts: 1, sinceMs: 0 });
      const { tstampMs, edits } = known;
      records.states.set(id, { ...state, tstampMs, edits });
      return;
    }
    records.held.delete(id);
    if (isChanged) {
      this.#parts.writes += 1;
      helium.write(id, rowAfter);
    }
    records.states.set(id, state);
    if (mustReadAgain(merged)) records.markDirty(id);
  }

  /** Checks acknowledged intents that have not come back. */
  #settle(upTo: number): void {
    const { records, store, files, echoes, nowMs } = this.#parts;
    const proof = echoes.getProofSoFar(nowMs);
    let isKept = false;
    let behindSinceMs: number | null = null;
    for (const [id, state] of records.states) {
      if (!state.intents.some(({ number, stage }) => stage === 'acknowledged' && number <= upTo)) continue;
      const object = files.readFields(store.objects.get(id) ?? null);
      const settled = settleWrites(state, object, (intent) => isPast(intent, proof));
      const { journey, removed, superseded, isDirty, verdict } = settled;
      const intents = state.intents
        .filter((intent) => !removed.includes(intent))
        .map((intent) => (superseded.includes(intent) ? { ...intent, stage: 'superseded' as const } : intent));
      records.states.set(id, { ...state, journey, intents });
      if (isDirty) records.markDirty(id);
      isKept ||= verdict !== 'settled';
      if (verdict === 'behind') behindSinceMs = nowMs;
    }
    if (echoes.isPastMissing) records.retryMissing();
    records.settleFound((id) => files.readFields(store.objects.get(id) ?? null));
    if (records.isWaitingForOpLog) behindSinceMs = nowMs;
    echoes.settle(upTo, { isKept, behindSinceMs });
  }
}
