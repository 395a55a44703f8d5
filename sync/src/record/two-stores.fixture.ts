/**
 * A minimal in-memory model of both platforms and the engine. It runs in single steps, so that a
 * property test can place crashes, lost responses and edits between any two of them. The engine
 * does the same with real stores.
 */
import { PendingEchoes } from '../pump/shared/pending-echoes.ts';
import type { MergedEntry } from '../pump/to-helium/merge-entries.ts';
import { findHold, mustReadAgain } from '../pump/to-helium/record-outcomes.ts';
import type { HeldRow } from '../sync-state/held-records.store.ts';
import { applyEntry, deferEntry } from './apply-entry.ts';
import { areFieldsEqual, type Fields } from './fields.ts';
import { getRowTime, getValueTime, rememberRow, type TimedRow, toMs, toSentRow } from './helium-times.ts';
import { type Conflict, type ConflictPolicy, type RowChange, unchanged } from './merge.ts';
import { absentRecord, withIntent } from './record-state.fixture.ts';
import { applyWrite, type Intent, planJourneyWrite, type RecordState } from './record-state.ts';
import { planSkipped } from './skipped-record.ts';
import { isPast, settleWrites } from './unconfirmed-writes.ts';
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
  /** The number of engine writes to Journey. */
  sent = 0;
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
  /** How much of the op-log can be read while it lags; null when it does not. */
  #visible: number | null = null;
  /** Of transactions in Helium only; the engine writes with plain SQL. */
  readonly #transactionTimes = new Map<string, number>();
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
  /** Rows that a session of the app has locked. */
  readonly #locked = new Set<string>();
  readonly #policy: ConflictPolicy;

  /** Records whose state in Journey Helium rejected. */
  readonly held = new Map<string, HeldRow>();
  /** Held records to try again. */
  readonly #due = new Set<string>();
  /** Whether a constraint of Helium rejects a row, or its deletion. */
  rejects: (fields: Fields | null) => boolean = () => false;
  /** All columns, without values. */
  readonly #empty: Fields;

  constructor(policy: ConflictPolicy, columns: readonly string[] = ['a', 'b']) {
    this.#policy = policy;
    this.#empty = Object.fromEntries(columns.map((column) => [column, null]));
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
      const fields = { ...this.#empty, ...row?.fields, ...change };
      if (areFieldsEqual(row?.fields ?? null, fields)) return;
      this.helium.set(id, { fields, changedAtMs: this.#nowMs, txId });
    }
    this.#markDirty(id);
  }

  editJourney(id: string, change: Fields | null): void {
    const object = this.journey.get(id) ?? null;
    this.#land(id, change === null ? null : { ...this.#empty, ...object, ...change });
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
      const write = planJourneyWrite(state, planned ? planned.send : (heliumRow?.fields ?? null));
      if (!write) continue;
      const row = heliumRow ? toSentRow(state, heliumRow, write.fields, this.#nowMs) : null;
      const intent: Intent = { number: this.#nextId++, ...write, stage: 'sent', row };
      const deletedAtMs = write.method === 'delete' ? (this.#deletedAtMs.get(id) ?? null) : state.deletedAtMs;
      this.#states.set(id, { ...state, intents: withIntent(state.intents, intent), deletedAtMs });
      sent.push({ id, intent });
    }
    this.#batch = { sent, read, missing: new Set(), arrived: false };
  }

  /** null when the record is not held. */
  #planHeld(id: string, state: RecordState): Pick<ReturnType<typeof planSkipped>, 'send'> | null {
    const held = this.held.get(id);
    if (!held) return null;
    const row = this.helium.get(id)?.fields ?? null;
    if (row === null) this.#states.set(id, { ...state, deletedAtMs: this.#deletedAtMs.get(id) ?? null });
    if (held.state !== 'skipped') return { send: null };
    const { base, helium: tried } = held;
    const plan = planSkipped({ base, tried, journey: state.journey, isReadable: true }, row);
    if (plan.mustTry) this.retry(id);
    return plan;
  }

  /** Merges due records again. */
  tryDue(): void {
    for (const id of [...this.#due]) {
      this.#due.delete(id);
      const fields = this.#states.get(id)?.journey ?? null;
      const changedAtMs = this.held.get(id)?.changedAtMs ?? 0;
      this.#apply({ id, operation: fields === null ? 'delete' : 'update', fields, changedAtMs });
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
    this.#visible = Math.min(this.#opLog.length, Math.max(this.#visible ?? this.#opLog.length, this.#cursor) + entries);
  }

  catchUp(): void {
    this.#visible = null;
  }

  /** Reads up to this many entries of the op-log. */
  read(count: number): void {
    for (const [id, { state }] of this.held) if (state === 'waiting') this.#due.add(id);
    this.tryDue();
    const requested = this.#echoes.snapshot();
    const from = this.#cursor;
    const end = this.#visible ?? this.#opLog.length;
    const entries = this.#opLog.slice(from, Math.min(from + count, end));
    this.#cursor += entries.length;
    for (const [index, entry] of entries.entries()) {
      if (from + index < (this.#listedAt.get(entry.id) ?? 0)) continue;
      const proof = this.#echoes.getProof(entry.changedAtMs, this.#nowMs);
      this.#apply({ ...entry, isAfter: (intent) => isPast(intent, proof) });
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
    this.#locked.clear();
    for (let round = 0; round < 50; round += 1) {
      while (this.#late.length > 0) this.arriveLate();
      this.prepare();
      this.arrive();
      this.acknowledge();
      this.read(Number.POSITIVE_INFINITY);
      this.tryDue();
      if (
        this.#due.size === 0 &&
        this.#dirty.size === 0 &&
        !this.#isHeldByLock() &&
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

  #defer(entry: LogEntry & { readonly isAfter?: (intent: Intent) => boolean }): void {
    const { id, changedAtMs, fields } = entry;
    const known = this.#states.get(id) ?? absentRecord;
    const held = this.held.get(id);
    const { state, held: deferred, conflicts, isDirty, isEcho } = deferEntry({ state: known, held }, entry);
    this.#states.set(id, state);
    this.#addConflicts(entry, conflicts);
    if (deferred) {
      const isChanged = !(isEcho || areFieldsEqual(fields, known.journey));
      const waiting = held?.state === 'skipped' && !isChanged ? 'skipped' : 'waiting';
      const helium = this.helium.get(id)?.fields ?? null;
      const row = { key: { table: 'record', id }, kind: 'locked row', attempts: 1, sinceMs: 0 };
      this.held.set(id, { ...row, ...deferred, state: waiting, helium, changedAtMs });
    } else if (isDirty) this.#markDirty(id);
    if (this.#missing.delete(id)) this.#markDirty(id);
  }

  #addConflicts({ id, changedAtMs }: LogEntry, conflicts: readonly Conflict[]): void {
    for (const conflict of conflicts) {
      this.conflicts.push(conflict);
      this.onConflict(id, conflict, changedAtMs);
    }
  }

  #apply(entry: LogEntry & { readonly isAfter?: (intent: Intent) => boolean }): void {
    if (this.#locked.has(entry.id) && this.helium.has(entry.id)) {
      this.#defer(entry);
      return;
    }
    const known = this.#states.get(entry.id) ?? absentRecord;
    const held = this.held.get(entry.id);
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
    const applied = applyEntry({ state, row, held }, entry, this.#policy);
    if (this.#missing.delete(entry.id)) this.#markDirty(entry.id);
    this.#addConflicts(entry, applied.conflicts);
    const before = held ? held.base : known.journey;
    const merged: MergedEntry = {
      key: { table: 'record', id: entry.id },
      known: { ...known, listedAtMs: null, missing: null },
      held,
      isListed: false,
      row: heliumRow && { id: entry.id, ...heliumRow },
      rowAfter: this.#toRowAfter(entry, heliumRow, applied.write),
      state: applied.state,
      base: applied.own ? applyWrite(before, applied.own) : before,
      changedAtMs: entry.changedAtMs,
      isDirty: applied.isDirty,
      isChanged: !(applied.isEcho || areFieldsEqual(entry.fields, state.journey)),
      echoes: 0,
      conflicts: [],
      problem: null,
      deferred: null,
    };
    const isRejected = applied.write !== unchanged && this.rejects(applied.write);
    const hold = findHold(
      merged,
      isRejected ? { status: 'refused', kind: 'check', reason: '' } : { status: 'written' },
    );
    if (hold) {
      const { base = null, helium, changedAtMs = null, ...rest } = hold;
      this.held.set(entry.id, { ...rest, base, helium, changedAtMs, attempts: 1, sinceMs: 0 });
      const { tstampMs, edits } = known;
      this.#states.set(entry.id, { ...applied.state, tstampMs, edits });
      return;
    }
    this.held.delete(entry.id);
    if (applied.write === null) this.helium.delete(entry.id);
    else if (applied.write !== unchanged) {
      const changedAtMs = Math.max(heliumRow?.changedAtMs ?? 0, entry.changedAtMs);
      this.helium.set(entry.id, { fields: applied.write, changedAtMs, txId: this.#nextTransaction() });
    }
    if (applied.write !== unchanged) this.writes += 1;
    const remembered =
      applied.isEcho && !held ? {} : rememberRow(applied.state, this.helium.get(entry.id) ?? null, rowTime);
    this.#states.set(entry.id, { ...applied.state, ...remembered });
    if (mustReadAgain(merged)) this.#markDirty(entry.id);
  }

  #toRowAfter({ id, changedAtMs }: LogEntry, row: TimedRow | null, write: RowChange): MergedEntry['rowAfter'] {
    const fields = write === unchanged ? (row?.fields ?? null) : write;
    return fields && { id, fields, changedAtMs: Math.max(row?.changedAtMs ?? 0, changedAtMs), txId: row?.txId ?? '' };
  }

  /** Checks acknowledged intents that have not come back. */
  #settle(upTo: number): void {
    const proof = this.#echoes.getProofSoFar(this.#nowMs);
    let isKept = false;
    let behindSinceMs: number | null = null;
    for (const [id, state] of this.#states) {
      if (!state.intents.some(({ number, stage }) => stage === 'acknowledged' && number <= upTo)) continue;
      const settled = settleWrites(state, this.journey.get(id) ?? null, (intent) => isPast(intent, proof));
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

  #nextTransaction(): string {
    return String(this.#nextId++);
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
  #deliver({ id, intent }: Sent): boolean {
    this.writes += 1;
    this.sent += 1;
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
