import type { TimestampMode } from '../lib/format.ts';
import { LogBuffer } from './log-buffer.ts';
import { type LogChunk, nextRowAfter } from './log-chunk.ts';
import { type DownloadFormat, formatRows, mimeTypeByFormat } from './log-download.ts';
import { LogFilter } from './log-filter.ts';
import { type LogQuery, showAll } from './log-query.ts';

/** What the page asks of the worker. */
export type SearchRequest =
  | { readonly type: 'chunk'; readonly chunk: LogChunk }
  | { readonly type: 'drop'; readonly before: number }
  /** Judge all rows from `from` on, and every later chunk; null to stop. */
  | { readonly type: 'query'; readonly generation: number; readonly query: LogQuery | null; readonly from: number }
  | { readonly type: 'download'; readonly id: number; readonly what: DownloadRequest };

export interface DownloadRequest {
  readonly query: LogQuery | null;
  readonly from: number;
  readonly format: DownloadFormat;
  readonly timestamps: TimestampMode;
}

export type SearchAnswer =
  /**
   * Rows before `through` are judged; `kept` is pairs [from, to), `matches` row numbers, both
   * ascending.
   */
  | {
      readonly type: 'judged';
      readonly generation: number;
      readonly kept: Float64Array<ArrayBuffer>;
      readonly matches: Float64Array<ArrayBuffer>;
      readonly through: number;
    }
  /** Still at it. */
  | { readonly type: 'busy' }
  | { readonly type: 'download'; readonly id: number; readonly blob: Blob };

/**
 * Longest stretch of work before other requests are heard: a newer query replaces one that runs.
 */
const stretchMs = 40;

/**
 * The worker's half: a second copy of the lines, searched without the page noticing. Told of every
 * chunk and drop.
 */
export class LogSearch {
  readonly #buffer = new LogBuffer({ rows: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY });
  readonly #answer: (answer: SearchAnswer) => void;
  readonly #later: (work: () => void) => void;
  #filter: LogFilter | null = null;
  #generation = 0;
  #next = 0;
  #kept: number[] = [];
  #matches: number[] = [];
  #scheduled = false;

  /** `later` runs work after waiting requests were heard. */
  constructor(answer: (answer: SearchAnswer) => void, later: (work: () => void) => void) {
    this.#answer = answer;
    this.#later = later;
  }

  take(request: SearchRequest): void {
    switch (request.type) {
      case 'chunk':
        this.#buffer.push(request.chunk);
        this.#work();
        break;
      case 'drop':
        this.#buffer.dropBefore(request.before);
        break;
      case 'query':
        this.#generation = request.generation;
        this.#filter = request.query === null ? null : new LogFilter(request.query);
        this.#next = request.from;
        this.#kept = [];
        this.#matches = [];
        this.#work();
        break;
      case 'download':
        this.#answer({ type: 'download', id: request.id, blob: this.#fileOf(request.what) });
        break;
    }
  }

  #work(): void {
    if (this.#filter === null || this.#scheduled) return;
    const until = performance.now() + stretchMs;
    for (const chunk of this.#chunksFrom(this.#next)) {
      const { kept, matches } = this.#filter.judge(chunk, this.#next);
      append(this.#kept, kept);
      append(this.#matches, matches);
      this.#next = nextRowAfter(chunk);
      if (performance.now() < until) continue;
      this.#answer({ type: 'busy' });
      this.#scheduled = true;
      this.#later(() => {
        this.#scheduled = false;
        this.#work();
      });
      return;
    }
    this.#answer({
      type: 'judged',
      generation: this.#generation,
      kept: Float64Array.from(this.#kept),
      matches: Float64Array.from(this.#matches),
      through: this.#next,
    });
    this.#kept = [];
    this.#matches = [];
  }

  #fileOf({ query, from, format, timestamps }: DownloadRequest): Blob {
    const filter = new LogFilter(query ?? showAll);
    const parts: string[] = [];
    let next = from;
    for (const chunk of this.#chunksFrom(from)) {
      const { kept } = filter.judge(chunk, next);
      next = nextRowAfter(chunk);
      this.#answer({ type: 'busy' });
      for (let index = 0; index < kept.length; index += 2) {
        parts.push(this.#format(kept[index] ?? 0, kept[index + 1] ?? 0, format, timestamps));
      }
    }
    return new Blob(parts, { type: mimeTypeByFormat[format] });
  }

  /** A late match keeps lines of earlier chunks too. */
  #format(from: number, to: number, format: DownloadFormat, timestamps: TimestampMode): string {
    let out = '';
    for (const chunk of this.#chunksFrom(from)) {
      if (chunk.first >= to) break;
      const start = Math.max(from, chunk.first) - chunk.first;
      out += formatRows(chunk, start, Math.min(to, nextRowAfter(chunk)) - chunk.first, format, timestamps);
    }
    return out;
  }

  *#chunksFrom(row: number): Generator<LogChunk> {
    const { chunks } = this.#buffer;
    for (let index = this.#buffer.chunkIndexOf(row); index < chunks.length; index += 1) {
      const chunk = chunks[index];
      if (chunk !== undefined) yield chunk;
    }
  }
}

/** Not `push(...more)`: a large chunk has more rows than a call may have arguments. */
function append(all: number[], more: readonly number[]): void {
  for (const one of more) all.push(one);
}
