import type { LogBuffer } from './log-buffer.ts';
import type { LogChunk } from './log-chunk.ts';
import type { LogQuery } from './log-query.ts';
import type { DownloadRequest, SearchAnswer, SearchRequest } from './log-search.ts';

export type Judged = Extract<SearchAnswer, { type: 'judged' }>;

/**
 * An expression can keep the engine busy for ever; a worker that is silent for so long is given up.
 */
const silenceMs = 5000;

/**
 * The page's half of the search. The worker's copy of the lines is a copy: when an expression hangs
 * it, it is ended and a new one gets the lines again from the buffer.
 */
export class LogSearcher {
  readonly #buffer: LogBuffer;
  readonly #onJudged: (judged: Judged) => void;
  readonly #onHang: () => void;
  readonly #downloads = new Map<number, { resolve: (blob: Blob) => void; reject: (problem: Error) => void }>();
  #worker: Worker;
  #watch: ReturnType<typeof setTimeout> | undefined;
  #generation = 0;
  #asked = false;
  #nextDownload = 1;

  constructor(buffer: LogBuffer, onJudged: (judged: Judged) => void, onHang: () => void) {
    this.#buffer = buffer;
    this.#onJudged = onJudged;
    this.#onHang = onHang;
    this.#worker = this.#start();
  }

  feed(chunks: readonly LogChunk[]): void {
    for (const chunk of chunks) this.#post({ type: 'chunk', chunk });
    if (this.#asked && chunks.length > 0) this.#expectAnswer();
  }

  drop(before: number): void {
    this.#post({ type: 'drop', before });
  }

  /**
   * Judges everything from row `from` on and what comes later; answers of earlier queries are not
   * heard any more.
   */
  ask(query: LogQuery | null, from: number): void {
    this.#generation += 1;
    this.#asked = query !== null;
    this.#post({ type: 'query', generation: this.#generation, query, from });
    if (this.#asked) this.#expectAnswer();
  }

  /**
   * The lines as a file, made beside the page. Fails when a search has to be given up meanwhile.
   */
  download(what: DownloadRequest): Promise<Blob> {
    const id = this.#nextDownload++;
    this.#post({ type: 'download', id, what });
    return new Promise((resolve, reject) => this.#downloads.set(id, { resolve, reject }));
  }

  dispose(): void {
    clearTimeout(this.#watch);
    this.#worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./log-search-worker.ts', import.meta.url), {
      type: 'module',
      name: 'log-search',
    });
    worker.onmessage = (event: MessageEvent<SearchAnswer>) => this.#take(event.data);
    return worker;
  }

  #take(answer: SearchAnswer): void {
    if (answer.type === 'download') {
      this.#downloads.get(answer.id)?.resolve(answer.blob);
      this.#downloads.delete(answer.id);
      return;
    }
    clearTimeout(this.#watch);
    this.#watch = undefined;
    if (answer.type === 'busy' || (this.#asked && answer.type === 'judged' && answer.through < this.#buffer.next)) {
      this.#expectAnswer();
    }
    if (answer.type === 'judged' && answer.generation === this.#generation) this.#onJudged(answer);
  }

  #expectAnswer(): void {
    this.#watch ??= setTimeout(() => {
      this.#watch = undefined;
      this.#asked = false;
      this.#worker.terminate();
      this.#worker = this.#start();
      for (const chunk of this.#buffer.chunks) this.#post({ type: 'chunk', chunk });
      for (const { reject } of this.#downloads.values()) reject(new Error('The file was not made. Try again.'));
      this.#downloads.clear();
      this.#onHang();
    }, silenceMs);
  }

  #post(request: SearchRequest): void {
    this.#worker.postMessage(request);
  }
}
