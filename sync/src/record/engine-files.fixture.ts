/** What the engine knows of files, in memory: those that wait, and those that both sides have. */

import { type TrackedFiles, trackFiles } from '../engine/files/book/tracked.ts';
import type { RecordEntries } from '../engine/to-helium/merger/merged-entry.ts';
import type { JourneyEntry } from '../journey/journey-gateway.ts';
import type { Mapping } from '../mapping/object-map.ts';
import { createFields, type Fields, getValue, type Value } from './fields.ts';
import type { JourneyStore, LogEntry } from './journey-store.fixture.ts';
import type { ConflictPolicy } from './merge.ts';
import type { RecordKey } from './record-key.ts';
import { answerAddress, failFile, needsAddress, type SeenFile, storeFile, type WaitingFile } from './waiting-file.ts';

export interface MergeContext {
  readonly policy: ConflictPolicy;
  readonly mapping: Mapping;
}

const table = 'record';
/** After this time, each file that waits is due. */
export const maxFileDelayMs = 60_000;
const backoff = { initialMs: 1_000, maxMs: maxFileDelayMs };

export const toKey = (id: string): RecordKey => ({ table, id });

export function createContext(
  policy: ConflictPolicy,
  columns: readonly string[],
  fileColumns: readonly string[],
): MergeContext {
  const fields = columns.map((column) => ({
    column,
    field: column,
    kind: fileColumns.includes(column) ? ('blob' as const) : ('text' as const),
  }));
  const objects = [{ table, model: table, toHelium: true, toJourney: true, fields }];
  return { policy, mapping: { objects, notes: [], fingerprint: '' } };
}

interface Attempt {
  /** Whether Helium may be sending a file of the field. */
  readonly mayBeOwn: boolean;
  readonly outcome: 'done' | 'failed' | 'killed';
  readonly nowMs: number;
}

export class EngineFiles {
  readonly #fileColumns: readonly string[];
  readonly #context: MergeContext;
  readonly #journey: JourneyStore;
  /** The hash of each file that both sides have, by Journey's id. */
  readonly #known = new Map<string, Value>();
  /** By record and column. */
  readonly waiting = new Map<string, ReadonlyMap<string, WaitingFile>>();
  /** The downloads that Journey answered with the file, by its id. */
  readonly downloads: string[] = [];

  constructor(context: MergeContext, journey: JourneyStore) {
    this.#context = context;
    this.#journey = journey;
    const [map] = context.mapping.objects;
    this.#fileColumns = map?.fields.flatMap(({ column, kind }) => (kind === 'blob' ? [column] : [])) ?? [];
  }

  /** Converts an entry of the op-log as the reader of it does. */
  toEntry({ id, operation, fields, changedAtMs }: LogEntry): JourneyEntry {
    const entry = { sequence: '0', key: toKey(id), operation, changedAtMs };
    const seen = this.#see(fields);
    return { ...entry, fields: this.readFields(fields), ...(seen && { attachments: seen }) };
  }

  /** Returns an object's fields without the files of which the content is not known. */
  readFields(fields: Fields | null): Fields | null {
    if (fields === null || this.#fileColumns.length === 0) return fields;
    const read: Record<string, Value> = Object.assign(createFields(), fields);
    for (const column of this.#fileColumns) {
      const id = getValue(fields, column);
      if (id === null) continue;
      delete read[column];
      const hash = this.#known.get(String(id));
      if (hash !== undefined) read[column] = hash;
    }
    return read;
  }

  hasFile(journey: Fields | null): boolean {
    return this.#fileColumns.some((column) => getValue(journey ?? undefined, column) !== null);
  }

  /** Returns the fields without those of files that wait. */
  withoutWaiting(id: string, fields: Fields): Fields {
    const files = this.waiting.get(id);
    return Object.assign(
      createFields(),
      Object.fromEntries(Object.entries(fields).filter(([column]) => !files?.has(column))),
    );
  }

  #see(fields: Fields | null): Record<string, SeenFile> | null {
    if (fields === null || this.#fileColumns.length === 0) return null;
    const seen = createFields<SeenFile>();
    for (const column of this.#fileColumns) {
      const id = getValue(fields, column);
      if (id !== null) seen[column] = this.#journey.seeFile(String(id));
    }
    return seen;
  }

  /** Saves which files wait after the entries. */
  track(record: RecordEntries, nowMs: number): TrackedFiles {
    const { id } = record.key;
    const [map] = this.#context.mapping.objects;
    if (!map || this.#fileColumns.length === 0) return { files: new Map(), settled: [], replaced: [] };
    const tracked = trackFiles(map, record, this.waiting.get(id), { nowMs, backoff });
    this.#save(id, tracked.files);
    return tracked;
  }

  /** Remembers the ids of the files that Journey acknowledged. */
  rememberSent(fields: Fields): void {
    const stored = this.#journey.storeFiles(fields);
    for (const column of this.#fileColumns) {
      const hash = getValue(fields, column);
      if (hash !== null) this.remember(String(stored[column]), hash);
    }
  }

  remember(journeyId: string, hash: Value): void {
    this.#known.set(journeyId, hash);
  }

  /** Makes one attempt to get a file, if it is due. Returns it once its bytes are there. */
  get(ref: { readonly id: string; readonly column: string }, attempt: Attempt): WaitingFile | null {
    const { id, column } = ref;
    const { mayBeOwn, outcome, nowMs } = attempt;
    let file = this.waiting.get(id)?.get(column);
    if (!file || (file.retryAtMs ?? 0) > nowMs) return null;
    if (needsAddress(file)) {
      file = answerAddress(file, this.#see(this.#journey.objects.get(id) ?? null)?.[column] ?? null, nowMs, backoff);
      this.#change(id, column, file);
    }
    if (file.state === 'announced') return null;
    if (file.state === 'downloaded') return file;
    const known = this.#known.get(file.journeyId);
    if (known !== undefined) return { ...file, value: String(known) };
    if (outcome === 'failed' || (mayBeOwn && file.attempts === 0)) {
      this.#change(id, column, failFile(file, 'It failed.', nowMs, backoff));
      return null;
    }
    this.downloads.push(file.journeyId);
    return outcome === 'killed' ? null : { ...file, value: String(this.#journey.download(file.journeyId)) };
  }

  /** Keeps the bytes of a file that cannot be written yet. */
  store(id: string, column: string, nowMs: number): void {
    const file = this.waiting.get(id)?.get(column);
    if (!file) return;
    const stored = storeFile(file, String(this.#journey.download(file.journeyId)));
    this.#change(id, column, failFile(stored, 'It cannot be written yet.', nowMs, backoff));
  }

  remove(id: string, column: string): void {
    this.#save(id, new Map([...(this.waiting.get(id) ?? [])].filter(([name]) => name !== column)));
  }

  #change(id: string, column: string, file: WaitingFile): void {
    this.#save(id, new Map([...(this.waiting.get(id) ?? []), [column, file]]));
  }

  #save(id: string, files: ReadonlyMap<string, WaitingFile>): void {
    if (files.size === 0) this.waiting.delete(id);
    else this.waiting.set(id, files);
  }
}
