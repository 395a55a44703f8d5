/**
 * A minimal in-memory model of both platforms and the engine. It runs in single steps, so that a
 * property test can place crashes, lost responses and edits between any two of them. The engine
 * does the same with real stores.
 *
 *   helium-store ─▶ engine-to-journey ─▶ journey-store
 *                ◀─ engine-to-helium, engine-downloads ◀─
 *                   engine-records, engine-files: what it knows
 */
import type { HeldRow } from '../sync-state/held-records.store.ts';
import { EngineDownloads } from './engine-downloads.fixture.ts';
import { createContext, EngineFiles, maxFileDelayMs } from './engine-files.fixture.ts';
import { EngineParts } from './engine-parts.fixture.ts';
import type { EngineRecords } from './engine-records.fixture.ts';
import { EngineToHelium } from './engine-to-helium.fixture.ts';
import { EngineToJourney } from './engine-to-journey.fixture.ts';
import type { Fields } from './fields.ts';
import { HeliumStore } from './helium-store.fixture.ts';
import type { TimedRow } from './helium-times.ts';
import { JourneyStore } from './journey-store.fixture.ts';
import type { Conflict, ConflictPolicy } from './merge.ts';

export class TwoStores {
  readonly #parts: EngineParts;
  readonly #toJourney: EngineToJourney;
  readonly #toHelium: EngineToHelium;
  readonly #downloads: EngineDownloads;
  /** All columns, without values. */
  readonly #empty: Fields;

  /** @param fileColumns the columns that hold files; their values are the hashes of these */
  constructor(policy: ConflictPolicy, columns: readonly string[] = ['a', 'b'], fileColumns: readonly string[] = []) {
    const context = createContext(policy, columns, fileColumns);
    const store = new JourneyStore(fileColumns);
    this.#empty = Object.fromEntries(columns.map((column) => [column, null]));
    const helium = new HeliumStore(context, this.#empty);
    this.#parts = new EngineParts({ context, helium, store, files: new EngineFiles(context, store) });
    this.#toHelium = new EngineToHelium(this.#parts);
    this.#toJourney = new EngineToJourney(this.#parts, this.#toHelium);
    this.#downloads = new EngineDownloads(this.#parts, this.#toHelium);
  }

  get helium(): ReadonlyMap<string, TimedRow> {
    return this.#parts.helium.rows;
  }

  /** Journey's objects, with the content of files. */
  get journey(): ReadonlyMap<string, Fields> {
    return this.#parts.store.contents;
  }

  get files(): Pick<EngineFiles, 'waiting' | 'downloads'> {
    return this.#parts.files;
  }

  get conflicts(): readonly Conflict[] {
    return this.#parts.records.conflicts;
  }

  set onConflict(onConflict: EngineRecords['onConflict']) {
    this.#parts.records.onConflict = onConflict;
  }

  /** Records whose state in Journey Helium rejected. */
  get held(): ReadonlyMap<string, HeldRow> {
    return this.#parts.records.held;
  }

  set rejects(rejects: EngineParts['rejects']) {
    this.#parts.rejects = rejects;
  }

  get nowMs(): number {
    return this.#parts.nowMs;
  }

  /** The number of engine writes in both directions. */
  get writes(): number {
    return this.#parts.writes;
  }

  /** The number of engine writes to Journey. */
  get sent(): number {
    return this.#toJourney.sent;
  }

  /** Journey objects that engine writes changed, before and after. */
  get rewritten(): EngineToJourney['rewritten'] {
    return this.#toJourney.rewritten;
  }

  /** Advances the clock by a second, so that later edits are later. */
  tick(): void {
    this.#parts.nowMs += 1000;
  }

  editHelium(id: string, change: Fields | null): void {
    const { helium, records, nowMs } = this.#parts;
    if (helium.edit(id, change, nowMs)) records.markDirty(id);
  }

  /** @param isUploaded whether the files of the change are there; otherwise they are announced */
  editJourney(id: string, change: Fields | null, isUploaded = true): void {
    const { store, nowMs } = this.#parts;
    const object = store.objects.get(id) ?? null;
    const stored = change && store.storeFiles(change, isUploaded);
    store.write(id, stored && { ...this.#empty, ...object, ...stored }, nowMs);
  }

  /** Uploads everything that was announced. No entry reports it. */
  finishUploads(): void {
    this.#parts.store.finishUploads();
  }

  /** Writes a row again without changing it. */
  touchHelium(id: string): void {
    if (this.helium.has(id)) this.#parts.records.markDirty(id);
  }

  lock(id: string): void {
    this.#parts.helium.locked.add(id);
  }

  unlock(id: string): void {
    this.#parts.helium.locked.delete(id);
  }

  /** Forgets everything that is known, and continues both logs from their ends. */
  startFromHere(): void {
    this.#parts.records.forget();
    this.#toHelium.skipToEnd();
  }

  /** Leaves a held record as it is until it changes again. */
  skip(id: string): void {
    this.#parts.records.skip(id);
  }

  /** Tries a held record again, as an operator requests. */
  retry(id: string): void {
    this.#parts.records.retry(id);
  }

  /** Reads dirty records and saves the intents to send. */
  prepare(): void {
    this.#toJourney.prepare();
  }

  arrive(): void {
    this.#toJourney.arrive();
  }

  /** Processes the response: everything that was read is done. */
  acknowledge(): void {
    this.#toJourney.acknowledge();
  }

  /** Kills the process or loses the response. What was sent may still arrive at any time. */
  crash(): void {
    this.#toJourney.crash();
  }

  /** Delivers the oldest call that the network delayed. */
  arriveLate(): void {
    this.#toJourney.arriveLate();
  }

  /** From now on, the op-log shows only this many new entries. */
  lag(entries: number): void {
    this.#parts.store.lag(entries, this.#toHelium.cursor);
  }

  catchUp(): void {
    this.#parts.store.catchUp();
  }

  /** Reads up to this many entries of the op-log. */
  read(count: number): void {
    this.#toHelium.read(count);
  }

  /** Merges due records again. */
  tryDue(): void {
    this.#toHelium.tryDue();
  }

  /** Gets and writes each file that waits. */
  fetchFiles(outcome: 'done' | 'failed' | 'killed' = 'done'): void {
    this.#downloads.fetchFiles(outcome);
  }

  /**
   * Runs everything that can still happen without an edit. Throws when the stores do not come to
   * rest.
   */
  rest(): void {
    this.catchUp();
    this.finishUploads();
    this.#parts.helium.locked.clear();
    for (let round = 0; round < 50; round += 1) {
      while (this.#toJourney.hasLate) this.arriveLate();
      this.prepare();
      this.arrive();
      this.acknowledge();
      this.read(Number.POSITIVE_INFINITY);
      this.tryDue();
      if (this.files.waiting.size > 0) {
        this.#parts.nowMs += maxFileDelayMs;
        this.fetchFiles();
      }
      if (this.#isAtRest) return;
    }
    throw new Error('Both stores keep changing each other.');
  }

  get #isAtRest(): boolean {
    const { records, files, store } = this.#parts;
    const isIdle = records.due.size === 0 && records.dirty.size === 0 && files.waiting.size === 0;
    const isWaiting = records.isHeldByLock || records.isWaitingForOpLog || this.#toJourney.hasLate;
    return isIdle && !isWaiting && this.#toHelium.cursor === store.logLength;
  }
}
