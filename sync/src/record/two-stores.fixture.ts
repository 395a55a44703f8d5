/**
 * Both platforms and the engine between them as small as they can be, in memory and in single
 * steps, so that a property test can put crashes, lost answers and edits between any two of them.
 * The pump does the same over real stores.
 */
import { PendingEchoes } from '../pump/shared/pending-echoes.ts';
import { applyEntry } from './apply-entry.ts';
import { type Fields, sameFields } from './fields.ts';
import { type Conflict, type ConflictPolicy, unchanged } from './merge.ts';
import { unknownRecord, withIntent } from './record-state.fixture.ts';
import { afterWrite, type Intent, type RecordState, writeForJourney } from './record-state.ts';

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
  readonly helium = new Map<string, { fields: Fields; changedAtMs: number }>();
  readonly journey = new Map<string, Fields>();
  readonly conflicts: Conflict[] = [];
  /** Writes of the engine, both ways. */
  writes = 0;
  /** Objects in Journey that writes of the engine found, and what they made of them. */
  readonly rewritten: { readonly before: Fields; readonly after: Fields | null }[] = [];
  readonly #opLog: LogEntry[] = [];
  readonly #states = new Map<string, RecordState>();
  /**
   * Change log and dirty list in one: it is emptied only when what was read of it is acknowledged.
   */
  readonly #dirty = new Map<string, number>();
  #cursor = 0;
  readonly #echoes = new PendingEchoes({ acknowledged: 0, mustReadFirst: false });
  #nextNumber = 1;
  #nowMs = 1_000_000;
  #batch: { sent: Sent[]; read: Map<string, number>; missing: Set<string>; arrived: boolean } | undefined;
  /**
   * Journey has no such record to patch: the op-log will say why. Only when it was read to its end
   * without a word, and the record is missing again, it is put anew.
   */
  readonly #missing = new Map<string, 'waits for the op-log' | 'to be tried again'>();
  #late: Sent[] = [];
  readonly #policy: ConflictPolicy;

  constructor(policy: ConflictPolicy) {
    this.#policy = policy;
  }

  /** A second goes by: later edits are later. */
  tick(): void {
    this.#nowMs += 1000;
  }

  editHelium(id: string, change: Fields | null): void {
    const row = this.helium.get(id);
    if (change === null) {
      if (!this.helium.delete(id)) return;
    } else {
      const fields = { a: null, b: null, ...row?.fields, ...change };
      if (sameFields(row?.fields ?? null, fields)) return;
      this.helium.set(id, { fields, changedAtMs: this.#nowMs });
    }
    this.#markDirty(id);
  }

  editJourney(id: string, change: Fields | null): void {
    const object = this.journey.get(id) ?? null;
    this.#land(id, change === null ? null : { a: null, b: null, ...object, ...change });
  }

  /** Reads what is dirty and remembers what it is about to send. */
  prepare(): void {
    // What nobody answered for may have landed: the op-log knows.
    if (this.#batch || this.#echoes.mustReadFirst) return;
    const sent: Sent[] = [];
    const read = new Map(this.#dirty);
    for (const id of read.keys()) {
      const state = this.#states.get(id) ?? unknownRecord;
      const write = writeForJourney(state, this.helium.get(id)?.fields ?? null);
      if (!write) continue;
      const intent: Intent = { number: this.#nextNumber++, ...write, stage: 'sent' };
      const deletedAtMs = write.method === 'delete' ? this.#nowMs : state.deletedAtMs;
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

  /** The answer came: what was read is done with. */
  acknowledge(): void {
    const batch = this.#batch;
    if (!batch?.arrived) return;
    for (const { id, intent } of batch.sent) {
      if (batch.missing.has(id)) {
        this.#changeIntents(id, (intents) => intents.filter(({ number }) => number !== intent.number));
        this.#noteMissing(id);
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

  /** The process dies, or the answer is lost; what it sent may arrive yet, at any time. */
  crash(): void {
    if (this.#batch) this.#echoes.loseAnswer();
    if (this.#batch && !this.#batch.arrived) this.#late.push(...this.#batch.sent);
    this.#batch = undefined;
  }

  /** The network lets go of the oldest call it held up. */
  arriveLate(): void {
    const [sent, ...rest] = this.#late;
    this.#late = rest;
    if (sent) this.#deliver(sent);
  }

  /** Reads some of the op-log. */
  read(count: number): void {
    const requested = this.#echoes.snapshot();
    const missing = [...this.#missing].filter(([, stage]) => stage === 'waits for the op-log').map(([id]) => id);
    const entries = this.#opLog.slice(this.#cursor, this.#cursor + count);
    this.#cursor += entries.length;
    for (const entry of entries) this.#apply(entry);
    if (this.#cursor < this.#opLog.length) return;
    this.#echoes.allowSending(requested);
    if (!this.#echoes.hasUnsettled) return;
    // This op-log never lags: until it is believed, it gives the same answer.
    let upTo: number | null = null;
    while (upTo === null) upTo = this.#echoes.reachEnd(requested);
    this.#settle(upTo, missing);
    this.#echoes.settle(upTo);
  }

  /** Everything that can still happen by itself happens. Throws when it does not come to rest. */
  rest(): void {
    for (let round = 0; round < 50; round += 1) {
      while (this.#late.length > 0) this.arriveLate();
      this.prepare();
      this.arrive();
      this.acknowledge();
      this.read(Number.POSITIVE_INFINITY);
      if (
        this.#dirty.size === 0 &&
        !this.#isWaiting() &&
        this.#cursor === this.#opLog.length &&
        this.#late.length === 0
      )
        return;
    }
    throw new Error('Both stores keep changing each other.');
  }

  #apply(entry: LogEntry): void {
    const state = this.#states.get(entry.id) ?? unknownRecord;
    const row = this.helium.get(entry.id) ?? null;
    const applied = applyEntry({ state, row }, entry, this.#policy);
    if (this.#missing.delete(entry.id)) this.#markDirty(entry.id);
    this.#states.set(entry.id, applied.state);
    this.conflicts.push(...applied.conflicts);
    if (applied.write !== unchanged) {
      this.writes += 1;
      if (applied.write === null) this.helium.delete(entry.id);
      else this.helium.set(entry.id, { fields: applied.write, changedAtMs: entry.changedAtMs });
    }
    if (applied.isDirty) this.#markDirty(entry.id);
  }

  /**
   * What was acknowledged before the op-log was requested, and has not come back, changed nothing.
   */
  #settle(upTo: number, missing: readonly string[]): void {
    for (const [id, state] of this.#states) {
      const intents = state.intents.filter(({ number, stage }) => stage !== 'acknowledged' || number > upTo);
      if (intents.length === state.intents.length) continue;
      this.#states.set(id, { ...state, intents });
      this.#markDirty(id);
    }
    for (const id of missing.filter((id) => this.#missing.has(id))) {
      this.#missing.set(id, 'to be tried again');
      this.#markDirty(id);
    }
  }

  #isWaiting(): boolean {
    return [...this.#missing.values()].includes('waits for the op-log');
  }

  #noteMissing(id: string): void {
    // When the op-log has said so already there is nothing to wait for.
    const state = this.#states.get(id) ?? unknownRecord;
    if (state.journey !== null && this.#missing.get(id) !== 'to be tried again') {
      this.#missing.set(id, 'waits for the op-log');
      return;
    }
    this.#missing.delete(id);
    this.#states.set(id, { ...state, journey: null });
    this.#markDirty(id);
  }

  /** Answers false for a patch of what is not there. */
  #deliver({ id, intent }: Sent): boolean {
    this.writes += 1;
    const before = this.journey.get(id) ?? null;
    const after = afterWrite(before, intent);
    if (before) this.rewritten.push({ before, after });
    this.#land(id, after);
    return before !== null || intent.method !== 'patch';
  }

  /** Journey logs what changes something. */
  #land(id: string, fields: Fields | null): void {
    const before = this.journey.get(id) ?? null;
    if (sameFields(before, fields)) return;
    if (fields === null) this.journey.delete(id);
    else this.journey.set(id, fields);
    const operation = fields === null ? 'delete' : before === null ? 'create' : 'update';
    this.#opLog.push({ id, operation, fields, changedAtMs: this.#nowMs });
  }

  #markDirty(id: string): void {
    this.#dirty.set(id, this.#nextNumber++);
  }

  #changeIntents(id: string, change: (intents: readonly Intent[]) => Intent[]): void {
    const state = this.#states.get(id);
    if (state) this.#states.set(id, { ...state, intents: change(state.intents) });
  }
}
