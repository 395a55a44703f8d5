/**
 * A minimal in-memory model of both platforms and the engine. It runs in single steps, so that a
 * property test can place crashes, lost responses and edits between any two of them. The engine
 * does the same with real stores.
 */
import { PendingEchoes } from '../pump/shared/pending-echoes.ts';
import { applyEntry, deferEntry, type Held } from './apply-entry.ts';
import { areFieldsEqual, type Fields } from './fields.ts';
import { getRowTime, getValueTime, rememberRow, type TimedRow, toMs, toSentRow } from './helium-times.ts';
import { type Conflict, type ConflictPolicy, unchanged } from './merge.ts';
import { absentRecord, withIntent } from './record-state.fixture.ts';
import { applyWrite, expectedFields, type Intent, planJourneyWrite, type RecordState } from './record-state.ts';
import { mergeDeletion } from './unknown-record.ts';

interface LogEntry {
  readonly id: string;
  readonly operation: 'create' | 'update' | 'delete';
  readonly fields: Fields | null;
  readonly changedAtMs: number;
}

interface Sent {
  readonly id: string;
  readonly intent: Intent;
}

export class TwoStores {
  readonly helium = new Map<string, TimedRow>();
  readonly journey = new Map<string, Fields>();
  readonly conflicts: Conflict[] = [];
  /** Called with each conflict and the time of Journey's entry. */
  onConflict: (id: string, conflict: Conflict, journeyAtMs: number) => void = () => undefined;
  readonly #deletedAtMs = new Map<string, number>();
  /** The number of engine writes in both directions. */
  writes = 0;
  /** Journey objects that engine writes changed, before and after. */
  readonly rewritten: { readonly before: Fields; readonly after: Fields | null }[] = [];
  readonly #opLog: LogEntry[] = [];
  readonly #states = new Map<string, RecordState>();
  /**
   * Combines the change log and the dirty list. An entry is removed once the batch that read it is
   * acknowledged.
   */
  readonly #dirty = new Map<string, number>();
  #cursor = 0;
  /** Of transactions in Helium only; the engine writes with plain SQL. */
  readonly #transactionTimes = new Map<string, number>();
  readonly #echoes = new PendingEchoes({ acknowledged: 0, mustReadFirst: false });
  #nextId = 1;
  #nowMs = 1_000_000;
  #batch: { sent: Sent[]; read: Map<string, number>; missing: Set<string>; arrived: boolean } | undefined;
  /**
   * Records that Journey did not have when they were patched. The op-log will show why. If it is
   * read to its end without an explanation and the record is missing again, it is created with a
   * put.
   */
  readonly #missing = new Map<string, 'waits for the op-log' | 'to be retried'>();
  #late: Sent[] = [];
  /** Whether a record without a state is absent in Journey; otherwise it is looked up. */
  #isComplete = true;
  /** The length of the op-log when a record was looked up. Entries before that say nothing new. */
  readonly #listedAt = new Map<string, number>();
  /** Rows that a session of the app has locked. */
  readonly #locked = new Set<string>();
  /** Records whose entries wait for such a row. */
  readonly #held = new Map<string, Held & Pick<LogEntry, 'changedAtMs'>>();
  readonly #policy: ConflictPolicy;

  constructor(policy: ConflictPolicy) {
    this.#policy = policy;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Advances the clock by a second, so that later edits are later. */
  tick(): void {
    this.#nowMs += 1000;
  }

  editHelium(id: string, change: Fields | null): void {
    const row = this.helium.get(id);
    const txId = this.#nextTransaction();
    this.#transactionTimes.set(txId, this.#nowMs);
    if (change === null) {
      if (!this.helium.delete(id)) return;
      this.#deletedAtMs.set(id, this.#nowMs);
    } else {
      const fields = { a: null, b: null, ...row?.fields, ...change };
      if (areFieldsEqual(row?.fields ?? null, fields)) return;
      this.helium.set(id, { fields, changedAtMs: this.#nowMs, txId });
    }
    this.#markDirty(id);
  }

  editJourney(id: string, change: Fields | null): void {
    const object = this.journey.get(id) ?? null;
    this.#land(id, change === null ? null : { a: null, b: null, ...object, ...change });
  }

  /** Writes a row again without changing it. */
  touchHelium(id: string): void {
    if (this.helium.has(id)) this.#markDirty(id);
  }

  lock(id: string): void {
    this.#locked.add(id);
  }

  unlock(id: string): void {
    this.#locked.delete(id);
  }

  /** Forgets everything that is known, and continues both logs from their ends. */
  startFromHere(): void {
    this.#states.clear();
    this.#dirty.clear();
    this.#listedAt.clear();
    this.#cursor = this.#opLog.length;
    this.#isComplete = false;
  }

  /** Reads dirty records and saves the intents to send. */
  prepare(): void {
    // Unanswered writes may have landed: the op-log must be read first.
    if (this.#batch || this.#echoes.mustReadFirst) return;
    const sent: Sent[] = [];
    const read = new Map(this.#dirty);
    for (const id of read.keys()) {
      // A look-up merges what it finds, and may have to wait for the row.
      if (!this.#held.has(id) && !this.#states.has(id)) this.#lookUp(id);
      if (this.#held.has(id)) continue;
      const state = this.#states.get(id) ?? this.#lookUp(id);
      const heliumRow = this.helium.get(id);
      const write = planJourneyWrite(state, heliumRow?.fields ?? null);
      if (!write) continue;
      const row = heliumRow ? toSentRow(state, heliumRow, write.fields, this.#nowMs) : null;
      const intent: Intent = { number: this.#nextId++, ...write, stage: 'sent', row };
      const deletedAtMs = write.method === 'delete' ? (this.#deletedAtMs.get(id) ?? null) : state.deletedAtMs;
      this.#states.set(id, { ...state, intents: withIntent(state.intents, intent), deletedAtMs });
      sent.push({ id, intent });
    }
    this.#batch = { sent, read, missing: new Set(), arrived: false };
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
        this.#changeIntents(id, (intents) =>
          intents.map((one) => (one.number === intent.number ? { ...one, stage } : one)),
        );
      }
    }
    for (const [id, mark] of batch.read) if (this.#dirty.get(id) === mark) this.#dirty.delete(id);
    if (batch.sent.length > 0) {
      this.#echoes.acknowledge(Math.max(...batch.sent.map(({ intent }) => intent.number)));
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

  /** Reads up to this many entries of the op-log. */
  read(count: number): void {
    this.#retryHeld();
    const requested = this.#echoes.snapshot();
    const missing = [...this.#missing].filter(([, stage]) => stage === 'waits for the op-log').map(([id]) => id);
    const from = this.#cursor;
    const entries = this.#opLog.slice(from, from + count);
    this.#cursor += entries.length;
    for (const [index, entry] of entries.entries())
      if (from + index >= (this.#listedAt.get(entry.id) ?? 0)) this.#apply(entry);
    if (this.#cursor < this.#opLog.length) return;
    this.#echoes.allowSending(requested);
    if (!this.#echoes.hasUnsettled) return;
    // This op-log never lags, so it gives the same response until it is believed.
    let upTo: number | null = null;
    while (upTo === null) upTo = this.#echoes.recordEnd(requested);
    this.#settle(upTo, missing);
    this.#echoes.settle(upTo);
  }

  /**
   * Runs everything that can still happen without an edit. Throws when the stores do not come to
   * rest.
   */
  rest(): void {
    this.#locked.clear();
    for (let round = 0; round < 50; round += 1) {
      while (this.#late.length > 0) this.arriveLate();
      this.prepare();
      this.arrive();
      this.acknowledge();
      this.read(Number.POSITIVE_INFINITY);
      if (
        this.#dirty.size === 0 &&
        this.#held.size === 0 &&
        !this.#isWaiting() &&
        this.#cursor === this.#opLog.length &&
        this.#late.length === 0
      )
        return;
    }
    throw new Error('Both stores keep changing each other.');
  }

  /** Asks Journey for a record of which nothing is known, and merges it. */
  #lookUp(id: string): RecordState {
    const fields = this.journey.get(id) ?? null;
    if (this.#isComplete || fields === null) return absentRecord;
    const { changedAtMs } = this.#opLog.findLast((entry) => entry.id === id) ?? { changedAtMs: 0 };
    this.#listedAt.set(id, this.#opLog.length);
    if (!this.helium.has(id)) {
      const deletedAtMs = this.#deletedAtMs.get(id) ?? this.#nowMs;
      const { winner, conflict } = mergeDeletion(deletedAtMs, { fields, changedAtMs }, this.#policy);
      if (conflict) this.conflicts.push(conflict);
      if (winner === 'helium') return { ...absentRecord, journey: fields };
    }
    this.#apply({ id, operation: 'update', fields, changedAtMs });
    return this.#states.get(id) ?? absentRecord;
  }

  #retryHeld(): void {
    for (const [id, { changedAtMs }] of this.#held) {
      const { journey } = this.#states.get(id) ?? absentRecord;
      this.#apply({ id, operation: journey === null ? 'delete' : 'update', fields: journey, changedAtMs });
    }
  }

  #defer(entry: LogEntry): void {
    const { id, changedAtMs } = entry;
    const deferred = deferEntry({ state: this.#states.get(id) ?? absentRecord, held: this.#held.get(id) }, entry);
    this.#states.set(id, deferred.state);
    for (const conflict of deferred.conflicts) {
      this.conflicts.push(conflict);
      this.onConflict(id, conflict, changedAtMs);
    }
    if (deferred.held) this.#held.set(id, { ...deferred.held, changedAtMs });
    else if (deferred.isDirty) this.#markDirty(id);
    if (this.#missing.delete(id)) this.#markDirty(id);
  }

  #apply(entry: LogEntry): void {
    if (this.#locked.has(entry.id) && this.helium.has(entry.id)) {
      this.#defer(entry);
      return;
    }
    const known = this.#states.get(entry.id) ?? absentRecord;
    const held = this.#held.get(entry.id);
    const heliumRow = this.helium.get(entry.id) ?? null;
    const hadRow = (held ? held.base : known.journey) !== null;
    const isDeleted = heliumRow === null && hadRow && known.deletedAtMs === null;
    const state = isDeleted ? { ...known, deletedAtMs: this.#deletedAtMs.get(entry.id) ?? null } : known;
    const rowTime = heliumRow && getRowTime(state, heliumRow, this.#nowMs);
    const row = heliumRow && {
      fields: heliumRow.fields,
      getWrittenAtMs: (column: string) =>
        toMs(getValueTime(state, column, heliumRow.fields[column] ?? null, rowTime), this.#transactionTimes),
    };
    const applied = applyEntry({ state, held, row }, entry, this.#policy);
    if (this.#missing.delete(entry.id)) this.#markDirty(entry.id);
    for (const conflict of applied.conflicts) {
      this.conflicts.push(conflict);
      this.onConflict(entry.id, conflict, entry.changedAtMs);
    }
    if (applied.write === null) this.helium.delete(entry.id);
    else if (applied.write !== unchanged) {
      const changedAtMs = Math.max(heliumRow?.changedAtMs ?? 0, entry.changedAtMs);
      this.helium.set(entry.id, { fields: applied.write, changedAtMs, txId: this.#nextTransaction() });
    }
    if (applied.write !== unchanged) this.writes += 1;
    const remembered =
      applied.isEcho && !held ? {} : rememberRow(applied.state, this.helium.get(entry.id) ?? null, rowTime);
    this.#states.set(entry.id, { ...applied.state, ...remembered });
    if (held ? this.#mustReadAgain(entry.id) : applied.isDirty) this.#markDirty(entry.id);
    this.#held.delete(entry.id);
  }

  /** Whether a record that is free again differs, or may differ because a write is unanswered. */
  #mustReadAgain(id: string): boolean {
    const state = this.#states.get(id) ?? absentRecord;
    const isUnanswered = state.intents.some(({ stage }) => stage === 'sent');
    return isUnanswered || !areFieldsEqual(this.helium.get(id)?.fields ?? null, expectedFields(state));
  }

  /** Removes acknowledged intents that have not come back: they changed nothing. */
  #settle(upTo: number, missing: readonly string[]): void {
    for (const [id, state] of this.#states) {
      const intents = state.intents.filter(({ number, stage }) => stage !== 'acknowledged' || number > upTo);
      if (intents.length === state.intents.length) continue;
      this.#states.set(id, { ...state, intents });
      this.#markDirty(id);
    }
    for (const id of missing.filter((id) => this.#missing.has(id))) {
      this.#missing.set(id, 'to be retried');
      this.#markDirty(id);
    }
  }

  #nextTransaction(): string {
    return String(this.#nextId++);
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
  #deliver({ id, intent }: Sent): boolean {
    this.writes += 1;
    const before = this.journey.get(id) ?? null;
    const after = applyWrite(before, intent);
    if (before) this.rewritten.push({ before, after });
    this.#land(id, after);
    return before !== null || intent.method !== 'patch';
  }

  /** Applies a change. Journey logs only effective changes. */
  #land(id: string, fields: Fields | null): void {
    const before = this.journey.get(id) ?? null;
    if (areFieldsEqual(before, fields)) return;
    if (fields === null) this.journey.delete(id);
    else this.journey.set(id, fields);
    const operation = fields === null ? 'delete' : before === null ? 'create' : 'update';
    this.#opLog.push({ id, operation, fields, changedAtMs: this.#nowMs });
  }

  #markDirty(id: string): void {
    this.#dirty.set(id, this.#nextId++);
  }

  #changeIntents(id: string, change: (intents: readonly Intent[]) => Intent[]): void {
    const state = this.#states.get(id);
    if (state) this.#states.set(id, { ...state, intents: change(state.intents) });
  }
}
