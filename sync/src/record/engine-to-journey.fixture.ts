/** Helium → Journey in memory, in single steps: a batch is planned, arrives and is answered. */
import { getFileIds, withholdFiles } from '../engine/files/book/protected.ts';
import type { EngineParts } from './engine-parts.fixture.ts';
import type { EngineToHelium } from './engine-to-helium.fixture.ts';
import type { Fields } from './fields.ts';
import { toSentRow } from './helium-times.ts';
import { withIntent } from './record-state.fixture.ts';
import { applyWrite, type Intent, planJourneyWrite, type RecordState } from './record-state.ts';
import { planSkipped } from './skipped-record.ts';

interface Sent {
  readonly id: string;
  readonly intent: Intent;
  /** Journey's ids of files that wait for Helium, by column: a put names them. */
  readonly keptFiles: Fields;
}

export class EngineToJourney {
  /** The number of writes. */
  sent = 0;
  /** Journey objects that writes changed, before and after. */
  readonly rewritten: { readonly before: Fields; readonly after: Fields | null }[] = [];
  readonly #parts: EngineParts;
  readonly #toHelium: EngineToHelium;
  #batch: { sent: Sent[]; read: Map<string, number>; missing: Set<string>; arrived: boolean } | undefined;
  #late: Sent[] = [];

  constructor(parts: EngineParts, toHelium: EngineToHelium) {
    this.#parts = parts;
    this.#toHelium = toHelium;
  }

  get hasLate(): boolean {
    return this.#late.length > 0;
  }

  /** Reads dirty records and saves the intents to send. */
  prepare(): void {
    const { records, helium, files, echoes, nowMs } = this.#parts;
    // Unanswered writes may have landed: the op-log must be read first.
    if (this.#batch || echoes.mustReadFirst) return;
    const sent: Sent[] = [];
    const read = new Map(records.dirty);
    for (const id of read.keys()) {
      const state = records.states.get(id) ?? this.#toHelium.lookUp(id);
      const heliumRow = helium.rows.get(id);
      const planned = this.#planHeld(id, state);
      if (planned?.send === null) continue;
      const whole = planJourneyWrite(state, planned ? planned.send : (heliumRow?.fields ?? null));
      const write = withholdFiles(whole, getFileIds(files.waiting.get(id)));
      if (!write) continue;
      const row = heliumRow ? toSentRow(state, heliumRow, write.fields, nowMs) : null;
      const { method, fields, keptFiles = {} } = write;
      const intent: Intent = { number: records.createNumber(), method, fields, stage: 'sent', row };
      const deletedAtMs = method === 'delete' ? (helium.deletedAtMs.get(id) ?? null) : state.deletedAtMs;
      records.states.set(id, { ...state, intents: withIntent(state.intents, intent), deletedAtMs });
      sent.push({ id, intent, keptFiles });
    }
    this.#batch = { sent, read, missing: new Set(), arrived: false };
  }

  /** null when the record is not held. */
  #planHeld(id: string, state: RecordState): Pick<ReturnType<typeof planSkipped>, 'send'> | null {
    const { records, helium } = this.#parts;
    const held = records.held.get(id);
    if (!held) return null;
    const row = helium.rows.get(id)?.fields ?? null;
    if (row === null) records.states.set(id, { ...state, deletedAtMs: helium.deletedAtMs.get(id) ?? null });
    if (held.state !== 'skipped') return { send: null };
    const { base, helium: tried } = held;
    const plan = planSkipped({ base, tried, journey: state.journey, isReadable: true }, row);
    if (plan.mustTry) records.retry(id);
    return plan;
  }

  arrive(): void {
    if (!this.#batch || this.#batch.arrived) return;
    for (const sent of this.#batch.sent) if (!this.#deliver(sent)) this.#batch.missing.add(sent.id);
    this.#batch.arrived = true;
  }

  /** Processes the response: everything that was read is done. */
  acknowledge(): void {
    const { records, files, echoes, nowMs } = this.#parts;
    const batch = this.#batch;
    if (!batch?.arrived) return;
    for (const { id, intent } of batch.sent) {
      if (batch.missing.has(id)) {
        records.changeIntents(id, (intents) => intents.filter(({ number }) => number !== intent.number));
        records.recordMissing(id);
      } else {
        records.recordFound(id);
        files.rememberSent(intent.fields);
        records.changeIntents(id, (intents) =>
          intents.map((one) =>
            one.number === intent.number && one.stage === 'sent' ? { ...one, stage: 'acknowledged' } : one,
          ),
        );
      }
    }
    for (const [id, mark] of batch.read) if (records.dirty.get(id) === mark) records.dirty.delete(id);
    if (batch.sent.length > 0) {
      echoes.acknowledge(Math.max(...batch.sent.map(({ intent }) => intent.number)), nowMs);
      if (batch.missing.size > 0) echoes.recordMissing(nowMs);
      echoes.expectEchoes();
    }
    this.#batch = undefined;
  }

  /** Kills the process or loses the response. What was sent may still arrive at any time. */
  crash(): void {
    if (this.#batch) this.#parts.echoes.markUnanswered();
    if (this.#batch && !this.#batch.arrived) this.#late.push(...this.#batch.sent);
    this.#batch = undefined;
  }

  /** Delivers the oldest call that the network delayed. */
  arriveLate(): void {
    const [sent, ...rest] = this.#late;
    this.#late = rest;
    if (sent) this.#deliver(sent);
  }

  /** Returns false for a patch of a missing object. */
  #deliver({ id, intent, keptFiles }: Sent): boolean {
    const { store } = this.#parts;
    this.#parts.writes += 1;
    this.sent += 1;
    const before = store.objects.get(id) ?? null;
    const fields = { ...store.storeFiles(intent.fields), ...keptFiles };
    const after = applyWrite(before, { method: intent.method, fields });
    if (before) this.rewritten.push({ before, after });
    store.write(id, after, this.#parts.nowMs);
    return before !== null || intent.method !== 'patch';
  }
}
