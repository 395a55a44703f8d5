/**
 * A minimal in-memory model of both platforms and the engine. It runs in single steps, so that a
 * property test can place crashes, lost responses and edits between any two of them. The engine
 * does the same with real stores.
 */
import type { JourneyEntry } from '../journey/journey-gateway.ts';
import { PendingEchoes } from '../pump/shared/pending-echoes.ts';
import { type MergedEntry, mergeEchoes, type RecordEntries } from '../pump/to-helium/merge-entries.ts';
import { findFileChanges, withoutFiles } from '../pump/to-helium/page-files.ts';
import { findHold, mustReadAgain } from '../pump/to-helium/record-outcomes.ts';
import { getFileIds, withholdFiles } from '../pump/to-journey/protected-files.ts';
import type { HeldRow } from '../sync-state/held-records.store.ts';
import { createContext, EngineFiles, type MergeContext, maxFileDelayMs, toKey } from './engine-files.fixture.ts';
import { areFieldsEqual, createFields, type Fields } from './fields.ts';
import { HeliumStore } from './helium-store.fixture.ts';
import { type TimedRow, toSentRow } from './helium-times.ts';
import { JourneyStore } from './journey-store.fixture.ts';
import type { Conflict, ConflictPolicy } from './merge.ts';
import { absentRecord, withIntent } from './record-state.fixture.ts';
import { applyWrite, type Intent, planJourneyWrite, type RecordState } from './record-state.ts';
import { planSkipped } from './skipped-record.ts';
import { isPast, settleWrites } from './unconfirmed-writes.ts';
import { mergeDeletion } from './unknown-record.ts';
import type { WaitingFile } from './waiting-file.ts';

interface Sent {
  readonly id: string;
  readonly intent: Intent;
  /** Journey's ids of files that wait for Helium, by column: a put names them. */
  readonly keptFiles: Fields;
}

interface EntrySource {
  readonly isListed?: boolean;
  /** Whether an entry of the op-log was written after everything that the intent did. */
  readonly isAfter?: (intent: Intent) => boolean;
}

export class TwoStores {
  readonly conflicts: Conflict[] = [];
  /** Called with each conflict and the time of Journey's entry. */
  onConflict: (id: string, conflict: Conflict, journeyAtMs: number) => void = () => undefined;
  /** The number of engine writes in both directions. */
  writes = 0;
  /** The number of engine writes to Journey. */
  sent = 0;
  /** Journey objects that engine writes changed, before and after. */
  readonly rewritten: { readonly before: Fields; readonly after: Fields | null }[] = [];
  readonly #states = new Map<string, RecordState>();
  /**
   * Combines the change log and the dirty list. An entry is removed once the batch that read it is
   * acknowledged.
   */
  readonly #dirty = new Map<string, number>();
  #cursor = 0;
  #nextId = 1;
  #nowMs = 1_000_000;
  readonly #echoes = new PendingEchoes({ acknowledged: 0, answeredAtMs: this.#nowMs, mustReadFirst: false });
  #batch: { sent: Sent[]; read: Map<string, number>; missing: Set<string>; arrived: boolean } | undefined;
  /**
   * Records that Journey did not have when they were patched. The op-log will show why. If it is
   * proven to be past that without an explanation, and the record is missing again, it is created
   * with a put.
   */
  readonly #missing = new Map<string, 'waits for the op-log' | 'to be retried'>();
  #late: Sent[] = [];
  /** Whether a record without a state is absent in Journey; otherwise it is looked up. */
  #isComplete = true;
  /** The length of the op-log when a record was looked up. Entries before that say nothing new. */
  readonly #listedAt = new Map<string, number>();
  readonly #context: MergeContext;
  readonly #helium: HeliumStore;
  readonly #store: JourneyStore;
  readonly #files: EngineFiles;

  /** Records whose state in Journey Helium rejected. */
  readonly held = new Map<string, HeldRow>();
  /** Held records to try again. */
  readonly #due = new Set<string>();
  /** Whether a constraint of Helium rejects a row, or its deletion. */
  rejects: (fields: Fields | null) => boolean = () => false;
  /** All columns, without values. */
  readonly #empty: Fields;

  /** @param fileColumns the columns that hold files; their values are the hashes of these */
  constructor(policy: ConflictPolicy, columns: readonly string[] = ['a', 'b'], fileColumns: readonly string[] = []) {
    this.#context = createContext(policy, columns, fileColumns);
    this.#store = new JourneyStore(fileColumns);
    this.#files = new EngineFiles(this.#context, this.#store);
    this.#empty = Object.fromEntries(columns.map((column) => [column, null]));
    this.#helium = new HeliumStore(this.#context, this.#empty);
  }

  get helium(): ReadonlyMap<string, TimedRow> {
    return this.#helium.rows;
  }

  /** Journey's objects, with the content of files. */
  get journey(): ReadonlyMap<string, Fields> {
    return this.#store.contents;
  }

  get files(): Pick<EngineFiles, 'waiting' | 'downloads'> {
    return this.#files;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Advances the clock by a second, so that later edits are later. */
  tick(): void {
    this.#nowMs += 1000;
  }

  editHelium(id: string, change: Fields | null): void {
    if (this.#helium.edit(id, change, this.#nowMs)) this.#markDirty(id);
  }

  /** @param isUploaded whether the files of the change are there; otherwise they are announced */
  editJourney(id: string, change: Fields | null, isUploaded = true): void {
    const object = this.#store.objects.get(id) ?? null;
    const stored = change && this.#store.storeFiles(change, isUploaded);
    this.#store.write(id, stored && { ...this.#empty, ...object, ...stored }, this.#nowMs);
  }

  /** Uploads everything that was announced. No entry reports it. */
  finishUploads(): void {
    this.#store.finishUploads();
  }

  /** Writes a row again without changing it. */
  touchHelium(id: string): void {
    if (this.helium.has(id)) this.#markDirty(id);
  }

  lock(id: string): void {
    this.#helium.locked.add(id);
  }

  unlock(id: string): void {
    this.#helium.locked.delete(id);
  }

  /** Forgets everything that is known, and continues both logs from their ends. */
  startFromHere(): void {
    this.#states.clear();
    this.#dirty.clear();
    this.#listedAt.clear();
    this.#cursor = this.#store.logLength;
    this.#isComplete = false;
  }

  /** Leaves a held record as it is until it changes again. */
  skip(id: string): void {
    const held = this.held.get(id);
    if (!held) return;
    this.held.set(id, { ...held, state: 'skipped' });
    this.#due.delete(id);
  }

  /** Tries a held record again, as an operator requests. */
  retry(id: string): void {
    const held = this.held.get(id);
    if (!held) return;
    this.held.set(id, { ...held, state: 'dead' });
    this.#due.add(id);
  }

  /** Reads dirty records and saves the intents to send. */
  prepare(): void {
    // Unanswered writes may have landed: the op-log must be read first.
    if (this.#batch || this.#echoes.mustReadFirst) return;
    const sent: Sent[] = [];
    const read = new Map(this.#dirty);
    for (const id of read.keys()) {
      const state = this.#states.get(id) ?? this.#lookUp(id);
      const heliumRow = this.helium.get(id);
      const planned = this.#planHeld(id, state);
      if (planned?.send === null) continue;
      const whole = planJourneyWrite(state, planned ? planned.send : (heliumRow?.fields ?? null));
      const write = withholdFiles(whole, getFileIds(this.#files.waiting.get(id)));
      if (!write) continue;
      const row = heliumRow ? toSentRow(state, heliumRow, write.fields, this.#nowMs) : null;
      const { method, fields, keptFiles = {} } = write;
      const intent: Intent = { number: this.#nextId++, method, fields, stage: 'sent', row };
      const deletedAtMs = write.method === 'delete' ? (this.#helium.deletedAtMs.get(id) ?? null) : state.deletedAtMs;
      this.#states.set(id, { ...state, intents: withIntent(state.intents, intent), deletedAtMs });
      sent.push({ id, intent, keptFiles });
    }
    this.#batch = { sent, read, missing: new Set(), arrived: false };
  }

  /** null when the record is not held. */
  #planHeld(id: string, state: RecordState): Pick<ReturnType<typeof planSkipped>, 'send'> | null {
    const held = this.held.get(id);
    if (!held) return null;
    const row = this.helium.get(id)?.fields ?? null;
    if (row === null) this.#states.set(id, { ...state, deletedAtMs: this.#helium.deletedAtMs.get(id) ?? null });
    if (held.state !== 'skipped') return { send: null };
    const { base, helium: tried } = held;
    const plan = planSkipped({ base, tried, journey: state.journey, isReadable: true }, row);
    if (plan.mustTry) this.retry(id);
    return plan;
  }

  /** Merges due records again. Of files only the hashes are known, so records with files are read again. */
  tryDue(): void {
    for (const id of [...this.#due]) {
      this.#due.delete(id);
      const journey = this.#states.get(id)?.journey ?? null;
      if (this.#files.hasFile(journey)) {
        const object = this.#store.objects.get(id);
        // The op-log will show its deletion.
        if (object) this.#applyListed(id, object, true);
        continue;
      }
      const changedAtMs = this.held.get(id)?.changedAtMs ?? null;
      const operation = journey === null ? 'delete' : 'update';
      const fields = journey && this.#files.withoutWaiting(id, journey);
      this.#apply({ sequence: '0', key: toKey(id), operation, fields, changedAtMs });
    }
  }

  arrive(): void {
    if (!this.#batch || this.#batch.arrived) return;
    for (const sent of this.#batch.sent) if (!this.#deliver(sent)) this.#batch.missing.add(sent.id);
    this.#batch.arrived = true;
  }

  /** Processes the response: everything that was read is done. */
  acknowledge(): void {
    const batch = this.#batch;
    if (!batch?.arrived) return;
    for (const { id, intent } of batch.sent) {
      if (batch.missing.has(id)) {
        this.#changeIntents(id, (intents) => intents.filter(({ number }) => number !== intent.number));
        this.#recordMissing(id);
      } else {
        const stage = 'acknowledged';
        this.#missing.delete(id);
        this.#files.rememberSent(intent.fields);
        this.#changeIntents(id, (intents) =>
          intents.map((one) => (one.number === intent.number ? { ...one, stage } : one)),
        );
      }
    }
    for (const [id, mark] of batch.read) if (this.#dirty.get(id) === mark) this.#dirty.delete(id);
    if (batch.sent.length > 0) {
      this.#echoes.acknowledge(Math.max(...batch.sent.map(({ intent }) => intent.number)), this.#nowMs);
      if (batch.missing.size > 0) this.#echoes.recordMissing(this.#nowMs);
      this.#echoes.expectEchoes();
    }
    this.#batch = undefined;
  }

  /** Kills the process or loses the response. What was sent may still arrive at any time. */
  crash(): void {
    if (this.#batch) this.#echoes.markUnanswered();
    if (this.#batch && !this.#batch.arrived) this.#late.push(...this.#batch.sent);
    this.#batch = undefined;
  }

  /** Delivers the oldest call that the network delayed. */
  arriveLate(): void {
    const [sent, ...rest] = this.#late;
    this.#late = rest;
    if (sent) this.#deliver(sent);
  }

  /** From now on, the op-log shows only this many new entries. */
  lag(entries: number): void {
    this.#store.lag(entries, this.#cursor);
  }

  catchUp(): void {
    this.#store.catchUp();
  }

  /** Reads up to this many entries of the op-log. */
  read(count: number): void {
    for (const [id, { state }] of this.held) if (state === 'waiting') this.#due.add(id);
    this.tryDue();
    const requested = this.#echoes.snapshot();
    const from = this.#cursor;
    const { end } = this.#store;
    const entries = this.#store.readLog(from, count);
    this.#cursor += entries.length;
    for (const [index, entry] of entries.entries()) {
      if (from + index < (this.#listedAt.get(entry.id) ?? 0)) continue;
      const proof = this.#echoes.getProof(entry.changedAtMs, this.#nowMs);
      this.#apply(this.#files.toEntry(entry), { isAfter: (intent) => isPast(intent, proof) });
    }
    if (entries.length > 0)
      this.#echoes.recordRead(
        entries.map(({ changedAtMs }) => changedAtMs),
        this.#nowMs,
      );
    if (this.#cursor < end) return;
    this.#echoes.allowSending(requested);
    // As many polls as it takes until something is checked.
    for (let upTo: number | null = null; this.#echoes.hasUnsettled && upTo === null; ) {
      upTo = this.#echoes.recordEnd(requested);
      if (upTo !== null) this.#settle(upTo);
    }
  }

  /**
   * Runs everything that can still happen without an edit. Throws when the stores do not come to
   * rest.
   */
  rest(): void {
    this.catchUp();
    this.finishUploads();
    this.#helium.locked.clear();
    for (let round = 0; round < 50; round += 1) {
      while (this.#late.length > 0) this.arriveLate();
      this.prepare();
      this.arrive();
      this.acknowledge();
      this.read(Number.POSITIVE_INFINITY);
      this.tryDue();
      if (this.#files.waiting.size > 0) {
        this.#nowMs += maxFileDelayMs;
        this.fetchFiles();
      }
      if (
        this.#due.size === 0 &&
        this.#dirty.size === 0 &&
        !this.#isHeldByLock() &&
        !this.#isWaiting() &&
        this.#files.waiting.size === 0 &&
        this.#cursor === this.#store.logLength &&
        this.#late.length === 0
      )
        return;
    }
    throw new Error('Both stores keep changing each other.');
  }

  /** Asks Journey for a record of which nothing is known, and merges it. */
  #lookUp(id: string): RecordState {
    const fields = this.#store.objects.get(id) ?? null;
    if (this.#isComplete || fields === null) return absentRecord;
    const { changedAtMs } = this.#store.findLastEntry(id) ?? { changedAtMs: 0 };
    if (!this.helium.has(id)) {
      const deletedAtMs = this.#helium.deletedAtMs.get(id) ?? this.#nowMs;
      const { winner, conflict } = mergeDeletion(deletedAtMs, { fields, changedAtMs }, this.#context.policy);
      if (conflict) this.conflicts.push(conflict);
      if (winner === 'helium') return { ...absentRecord, journey: fields };
    }
    this.#applyListed(id, fields, false);
    return this.#states.get(id) ?? absentRecord;
  }

  #applyListed(id: string, fields: Fields, isListed: boolean): void {
    const { changedAtMs } = this.#store.findLastEntry(id) ?? { changedAtMs: 0 };
    this.#listedAt.set(id, this.#store.logLength);
    this.#apply(this.#files.toEntry({ id, operation: 'update', fields, changedAtMs }), { isListed });
  }

  #addConflicts({ key, changedAtMs }: MergedEntry, conflicts: readonly Conflict[]): void {
    for (const conflict of conflicts) {
      this.conflicts.push(conflict);
      this.onConflict(key.id, conflict, changedAtMs ?? 0);
    }
  }

  #apply(entry: JourneyEntry, { isListed = false, isAfter }: EntrySource = {}): void {
    const record = {
      ...this.#toRecord(entry, isListed),
      isAfter: isAfter && ((_entry: JourneyEntry, intent: Intent) => isAfter(intent)),
    };
    let rest: RecordEntries = record;
    let merged = isListed ? undefined : mergeEchoes(record);
    if (!merged) {
      merged = this.#helium.merge(record, this.#nowMs);
      // The bytes of a file that Helium lacks are not there when the page is applied.
      const columns = findFileChanges(this.#context, merged);
      if (columns.length > 0) {
        rest = withoutFiles(record, columns);
        merged = this.#helium.merge(rest, this.#nowMs);
      }
    }
    this.#finish(merged);
    const { settled, replaced } = this.#files.track(rest, this.#nowMs);
    if (settled.length > 0) this.#markDirty(entry.key.id);
    this.#addConflicts(
      merged,
      replaced.map(({ conflict }) => conflict),
    );
  }

  #toRecord(entry: JourneyEntry, isListed = false): RecordEntries {
    const { id } = entry.key;
    const known = { ...(this.#states.get(id) ?? absentRecord), listedAtMs: null, missing: null };
    return { key: entry.key, entries: [entry], known, held: this.held.get(id), isListed };
  }

  /** Writes the row and the state of the record. */
  #finish(merged: MergedEntry): void {
    const { id } = merged.key;
    const { known, row, rowAfter, state } = merged;
    if (this.#missing.delete(id)) this.#markDirty(id);
    this.#addConflicts(merged, merged.conflicts);
    const isChanged = !areFieldsEqual(rowAfter?.fields ?? null, row?.fields ?? null);
    const isRejected = isChanged && this.rejects(rowAfter?.fields ?? null);
    const hold = findHold(
      merged,
      isRejected ? { status: 'refused', kind: 'check', reason: '' } : { status: 'written' },
    );
    if (hold) {
      const { base = null, helium, changedAtMs = null, ...rest } = hold;
      this.held.set(id, { ...rest, base, helium, changedAtMs, attempts: 1, sinceMs: 0 });
      const { tstampMs, edits } = known;
      this.#states.set(id, { ...state, tstampMs, edits });
      return;
    }
    this.held.delete(id);
    if (isChanged) {
      this.writes += 1;
      this.#helium.write(id, rowAfter);
    }
    this.#states.set(id, state);
    if (mustReadAgain(merged)) this.#markDirty(id);
  }

  /**
   * Gets each file that waits: asks for its address, downloads it and writes it, as the loop of files
   * does.
   */
  fetchFiles(outcome: 'done' | 'failed' | 'killed' = 'done'): void {
    for (const [id, files] of [...this.#files.waiting]) {
      for (const column of [...files.keys()]) {
        const state = this.#states.get(id) ?? absentRecord;
        const mayBeOwn = state.intents.some(({ stage, fields }) => stage === 'sent' && Object.hasOwn(fields, column));
        const file = this.#files.get({ id, column }, { mayBeOwn, outcome, nowMs: this.#nowMs });
        if (file) this.#writeFile(id, column, file);
      }
    }
  }

  #writeFile(id: string, column: string, file: WaitingFile): void {
    const state = this.#states.get(id) ?? absentRecord;
    if (state.journey === null) {
      this.#files.remove(id, column);
      return;
    }
    const { changedAtMs, journeyId, value } = file;
    const store = () => {
      this.#files.store(id, column, this.#nowMs);
    };
    if (this.held.has(id) || this.#helium.locked.has(id)) {
      store();
      return;
    }
    const fields = Object.assign(createFields(), state.journey, { [column]: value });
    const entry = { sequence: '0', key: toKey(id), operation: 'update' as const, fields, changedAtMs };
    const merged = this.#helium.merge(this.#toRecord(entry), this.#nowMs);
    const isChanged = !areFieldsEqual(merged.rowAfter?.fields ?? null, merged.row?.fields ?? null);
    if (merged.row === null || (isChanged && this.rejects(merged.rowAfter?.fields ?? null))) {
      store();
      return;
    }
    this.#finish(merged);
    this.#files.remember(journeyId, value);
    this.#files.remove(id, column);
    // While it waited, Helium's own file was not sent.
    this.#markDirty(id);
  }

  /** Checks acknowledged intents that have not come back. */
  #settle(upTo: number): void {
    const proof = this.#echoes.getProofSoFar(this.#nowMs);
    let isKept = false;
    let behindSinceMs: number | null = null;
    for (const [id, state] of this.#states) {
      if (!state.intents.some(({ number, stage }) => stage === 'acknowledged' && number <= upTo)) continue;
      const object = this.#files.readFields(this.#store.objects.get(id) ?? null);
      const settled = settleWrites(state, object, (intent) => isPast(intent, proof));
      const { journey, removed, superseded, isDirty, verdict } = settled;
      const intents = state.intents
        .filter((intent) => !removed.includes(intent))
        .map((intent) => (superseded.includes(intent) ? { ...intent, stage: 'superseded' as const } : intent));
      this.#states.set(id, { ...state, journey, intents });
      if (isDirty) this.#markDirty(id);
      isKept ||= verdict !== 'settled';
      if (verdict === 'behind') behindSinceMs = this.#nowMs;
    }
    if (this.#echoes.isPastMissing)
      for (const [id, stage] of this.#missing) {
        if (stage !== 'waits for the op-log') continue;
        this.#missing.set(id, 'to be retried');
        this.#markDirty(id);
      }
    if (this.#isWaiting()) behindSinceMs = this.#nowMs;
    this.#echoes.settle(upTo, { isKept, behindSinceMs });
  }

  #isHeldByLock(): boolean {
    return [...this.held.values()].some(({ state }) => state === 'waiting');
  }

  #isWaiting(): boolean {
    return [...this.#missing.values()].includes('waits for the op-log');
  }

  #recordMissing(id: string): void {
    // When the op-log has already shown the deletion, there is nothing to wait for.
    const state = this.#states.get(id) ?? absentRecord;
    if (state.journey !== null && this.#missing.get(id) !== 'to be retried') {
      this.#missing.set(id, 'waits for the op-log');
      return;
    }
    this.#missing.delete(id);
    this.#states.set(id, { ...state, journey: null });
    this.#markDirty(id);
  }

  /** Returns false for a patch of a missing object. */
  #deliver({ id, intent, keptFiles }: Sent): boolean {
    this.writes += 1;
    this.sent += 1;
    const before = this.#store.objects.get(id) ?? null;
    const fields = { ...this.#store.storeFiles(intent.fields), ...keptFiles };
    const after = applyWrite(before, { method: intent.method, fields });
    if (before) this.rewritten.push({ before, after });
    this.#store.write(id, after, this.#nowMs);
    return before !== null || intent.method !== 'patch';
  }

  #markDirty(id: string): void {
    this.#dirty.set(id, this.#nextId++);
  }

  #changeIntents(id: string, change: (intents: readonly Intent[]) => Intent[]): void {
    const state = this.#states.get(id);
    if (state) this.#states.set(id, { ...state, intents: change(state.intents) });
  }
}
