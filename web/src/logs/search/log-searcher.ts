import type { LogBuffer } from '../stream/log-buffer.ts';
import type { LogChunk } from '../text/log-chunk.ts';
import type { LogQuery } from './log-query.ts';
import type { DownloadRequest, SearchRequest, SearchResponse } from './log-search.ts';

export type SearchResult = Extract<SearchResponse, { type: 'result' }>;

/** An expression can block the engine forever; a worker that is silent this long is terminated. */
const responseTimeoutMs = 5000;

/**
 * The page's part of the search. When an expression blocks the worker, a new worker gets the lines
 * again from the buffer.
 */
export class LogSearcher {
  readonly #buffer: LogBuffer;
  readonly #onResult: (result: SearchResult) => void;
  readonly #onTimeout: () => void;
  readonly #downloads = new Map<number, { resolve: (blob: Blob) => void; reject: (problem: Error) => void }>();
  #worker: Worker;
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  #generation = 0;
  #isQueryActive = false;
  #nextDownload = 1;

  constructor(buffer: LogBuffer, onResult: (result: SearchResult) => void, onTimeout: () => void) {
    this.#buffer = buffer;
    this.#onResult = onResult;
    this.#onTimeout = onTimeout;
    this.#worker = this.#startWorker();
  }

  feed(chunks: readonly LogChunk[]): void {
    for (const chunk of chunks) this.#post({ type: 'chunk', chunk });
    if (this.#isQueryActive && chunks.length > 0) this.#watchForResponse();
  }

  drop(before: number): void {
    this.#post({ type: 'drop', before });
  }

  /**
   * Searches all rows from `from` on and all later ones. Results of earlier queries are ignored.
   */
  setQuery(query: LogQuery | null, from: number): void {
    this.#generation += 1;
    this.#isQueryActive = query !== null;
    this.#post({ type: 'query', generation: this.#generation, query, from });
    if (this.#isQueryActive) this.#watchForResponse();
  }

  /**
   * Creates a file of the lines in the worker. Fails when a search has to be terminated in the
   * meantime.
   */
  download(options: DownloadRequest): Promise<Blob> {
    const id = this.#nextDownload++;
    this.#post({ type: 'download', id, options });
    return new Promise((resolve, reject) => this.#downloads.set(id, { resolve, reject }));
  }

  dispose(): void {
    clearTimeout(this.#watchdog);
    this.#worker.terminate();
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./log-search-worker.ts', import.meta.url), {
      type: 'module',
      name: 'log-search',
    });
    worker.onmessage = (event: MessageEvent<SearchResponse>) => this.#handleResponse(event.data);
    return worker;
  }

  #handleResponse(response: SearchResponse): void {
    if (response.type === 'download') {
      this.#downloads.get(response.id)?.resolve(response.blob);
      this.#downloads.delete(response.id);
      return;
    }
    clearTimeout(this.#watchdog);
    this.#watchdog = undefined;
    if (
      response.type === 'busy' ||
      (this.#isQueryActive && response.type === 'result' && response.endRow < this.#buffer.next)
    ) {
      this.#watchForResponse();
    }
    if (response.type === 'result' && response.generation === this.#generation) this.#onResult(response);
  }

  #watchForResponse(): void {
    this.#watchdog ??= setTimeout(() => {
      this.#watchdog = undefined;
      this.#isQueryActive = false;
      this.#worker.terminate();
      this.#worker = this.#startWorker();
      for (const chunk of this.#buffer.chunks) this.#post({ type: 'chunk', chunk });
      for (const { reject } of this.#downloads.values())
        reject(new Error('The file could not be created because a search took too long. Try again.'));
      this.#downloads.clear();
      this.#onTimeout();
    }, responseTimeoutMs);
  }

  #post(request: SearchRequest): void {
    this.#worker.postMessage(request);
  }
}
