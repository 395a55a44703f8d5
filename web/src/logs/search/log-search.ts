import type { TimestampMode } from '../../format/instants.ts';
import { LogBuffer } from '../stream/log-buffer.ts';
import { getNextRow, type LogChunk } from '../text/log-chunk.ts';
import { type DownloadFormat, formatRows, mimeTypeByFormat } from '../text/log-download.ts';
import { LogFilter } from './log-filter.ts';
import { type LogQuery, showAll } from './log-query.ts';

/** A request from the page to the worker. */
export type SearchRequest =
  | { readonly type: 'chunk'; readonly chunk: LogChunk }
  | { readonly type: 'drop'; readonly before: number }
  /** Filter all rows from `from` on and every later chunk; null to stop. */
  | { readonly type: 'query'; readonly generation: number; readonly query: LogQuery | null; readonly from: number }
  | { readonly type: 'download'; readonly id: number; readonly options: DownloadRequest };

export interface DownloadRequest {
  readonly query: LogQuery | null;
  readonly from: number;
  readonly format: DownloadFormat;
  readonly timestamps: TimestampMode;
}

export type SearchResponse =
  /**
   * All rows before `endRow` are filtered. `keptRanges` is pairs [from, to) and `matches` row
   * numbers, both ascending.
   */
  | {
      readonly type: 'result';
      readonly generation: number;
      readonly keptRanges: Float64Array<ArrayBuffer>;
      readonly matches: Float64Array<ArrayBuffer>;
      readonly endRow: number;
    }
  /** Still running. */
  | { readonly type: 'busy' }
  | { readonly type: 'download'; readonly id: number; readonly blob: Blob };

/**
 * Max duration of one slice of work before other requests are handled, so that a newer query
 * replaces a running one.
 */
const sliceMs = 40;

/**
 * The worker's part of the search. Holds a second copy of the lines and receives every chunk and
 * drop.
 */
export class LogSearch {
  readonly #buffer = new LogBuffer({ rows: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY });
  readonly #respond: (respond: SearchResponse) => void;
  readonly #schedule: (work: () => void) => void;
  #filter: LogFilter | null = null;
  #generation = 0;
  #next = 0;
  #keptRanges: number[] = [];
  #matches: number[] = [];
  #scheduled = false;

  /** `schedule` runs work after waiting requests were handled. */
  constructor(respond: (respond: SearchResponse) => void, later: (work: () => void) => void) {
    this.#respond = respond;
    this.#schedule = later;
  }

  handle(request: SearchRequest): void {
    switch (request.type) {
      case 'chunk':
        this.#buffer.push(request.chunk);
        this.#runSlice();
        break;
      case 'drop':
        this.#buffer.dropBefore(request.before);
        break;
      case 'query':
        this.#generation = request.generation;
        this.#filter = request.query === null ? null : new LogFilter(request.query);
        this.#next = request.from;
        this.#keptRanges = [];
        this.#matches = [];
        this.#runSlice();
        break;
      case 'download':
        this.#respond({ type: 'download', id: request.id, blob: this.#createFile(request.options) });
        break;
    }
  }

  #runSlice(): void {
    if (this.#filter === null || this.#scheduled) return;
    const until = performance.now() + sliceMs;
    for (const chunk of this.#chunksFrom(this.#next)) {
      const { keptRanges, matches } = this.#filter.filter(chunk, this.#next);
      append(this.#keptRanges, keptRanges);
      append(this.#matches, matches);
      this.#next = getNextRow(chunk);
      if (performance.now() < until) continue;
      this.#respond({ type: 'busy' });
      this.#scheduled = true;
      this.#schedule(() => {
        this.#scheduled = false;
        this.#runSlice();
      });
      return;
    }
    this.#respond({
      type: 'result',
      generation: this.#generation,
      keptRanges: Float64Array.from(this.#keptRanges),
      matches: Float64Array.from(this.#matches),
      endRow: this.#next,
    });
    this.#keptRanges = [];
    this.#matches = [];
  }

  #createFile({ query, from, format, timestamps }: DownloadRequest): Blob {
    const filter = new LogFilter(query ?? showAll);
    const parts: string[] = [];
    let next = from;
    for (const chunk of this.#chunksFrom(from)) {
      const { keptRanges } = filter.filter(chunk, next);
      next = getNextRow(chunk);
      this.#respond({ type: 'busy' });
      for (let index = 0; index < keptRanges.length; index += 2) {
        parts.push(this.#format(keptRanges[index] ?? 0, keptRanges[index + 1] ?? 0, format, timestamps));
      }
    }
    return new Blob(parts, { type: mimeTypeByFormat[format] });
  }

  /** A late match also keeps lines of earlier chunks. */
  #format(from: number, to: number, format: DownloadFormat, timestamps: TimestampMode): string {
    let out = '';
    for (const chunk of this.#chunksFrom(from)) {
      if (chunk.first >= to) break;
      const start = Math.max(from, chunk.first) - chunk.first;
      out += formatRows(chunk, start, Math.min(to, getNextRow(chunk)) - chunk.first, format, timestamps);
    }
    return out;
  }

  *#chunksFrom(row: number): Generator<LogChunk> {
    const { chunks } = this.#buffer;
    for (let index = this.#buffer.findChunkIndex(row); index < chunks.length; index += 1) {
      const chunk = chunks[index];
      if (chunk !== undefined) yield chunk;
    }
  }
}

/** Does not use `push(...more)`: a large chunk has more rows than a call may have arguments. */
function append(all: number[], more: readonly number[]): void {
  for (const one of more) all.push(one);
}
