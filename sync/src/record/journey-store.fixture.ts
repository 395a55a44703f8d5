/** Journey in memory: its objects, their op-log, which may lag, and the files that they name. */
import { areFieldsEqual, createFields, type Fields, getValue, type Value } from './fields.ts';
import type { SeenFile } from './waiting-file.ts';

export interface LogEntry {
  readonly id: string;
  readonly operation: 'create' | 'update' | 'delete';
  readonly fields: Fields | null;
  readonly changedAtMs: number;
}

interface StoredFile {
  readonly hash: Value;
  isUploaded: boolean;
}

export class JourneyStore {
  /** Columns of files hold Journey's id of the file. */
  readonly objects = new Map<string, Fields>();
  readonly #fileColumns: readonly string[];
  readonly #log: LogEntry[] = [];
  /** How much of the op-log can be read while it lags; null when it does not. */
  #visible: number | null = null;
  readonly #files = new Map<string, StoredFile>();

  constructor(fileColumns: readonly string[]) {
    this.#fileColumns = fileColumns;
  }

  get logLength(): number {
    return this.#log.length;
  }

  /** The end of what can be read of the op-log. */
  get end(): number {
    return this.#visible ?? this.#log.length;
  }

  /** From now on, the op-log shows only this many entries after the ones that were read. */
  lag(entries: number, cursor: number): void {
    this.#visible = Math.min(this.#log.length, Math.max(this.end, cursor) + entries);
  }

  catchUp(): void {
    this.#visible = null;
  }

  readLog(from: number, count: number): LogEntry[] {
    return this.#log.slice(from, Math.min(from + count, this.end));
  }

  findLastEntry(id: string): LogEntry | undefined {
    return this.#log.findLast((entry) => entry.id === id);
  }

  /** Applies a change. Journey logs only effective changes. */
  write(id: string, fields: Fields | null, nowMs: number): void {
    const before = this.objects.get(id) ?? null;
    if (areFieldsEqual(before, fields)) return;
    if (fields === null) this.objects.delete(id);
    else this.objects.set(id, fields);
    const operation = fields === null ? 'delete' : before === null ? 'create' : 'update';
    this.#log.push({ id, operation, fields, changedAtMs: nowMs });
  }

  /** Returns the fields with an id in place of each file. The same content gets the same id. */
  storeFiles(fields: Fields, isUploaded = true): Fields {
    return this.#replaceFiles(fields, (hash) => {
      const id = `file ${hash}`;
      const file = this.#files.get(id) ?? { hash, isUploaded };
      file.isUploaded ||= isUploaded;
      this.#files.set(id, file);
      return id;
    });
  }

  /** Uploads everything that was announced. No entry reports it. */
  finishUploads(): void {
    for (const file of this.#files.values()) file.isUploaded = true;
  }

  /** Returns what Journey shows of a file. */
  seeFile(id: string): SeenFile {
    const isUploaded = this.#files.get(id)?.isUploaded ?? false;
    return { id, url: isUploaded ? `/${id}` : null, state: isUploaded ? 'uploaded' : 'pending' };
  }

  download(id: string): Value {
    return this.#files.get(id)?.hash ?? null;
  }

  /** The objects with the content of each file. */
  get contents(): ReadonlyMap<string, Fields> {
    if (this.#fileColumns.length === 0) return this.objects;
    const find = (id: Value) => this.#files.get(String(id))?.hash ?? null;
    return new Map([...this.objects].map(([id, fields]) => [id, this.#replaceFiles(fields, find)]));
  }

  #replaceFiles(fields: Fields, replace: (value: Value) => Value): Fields {
    if (this.#fileColumns.length === 0) return fields;
    const replaced: Record<string, Value> = Object.assign(createFields(), fields);
    for (const column of this.#fileColumns) {
      const value = getValue(fields, column);
      if (value !== null) replaced[column] = replace(value);
    }
    return replaced;
  }
}
