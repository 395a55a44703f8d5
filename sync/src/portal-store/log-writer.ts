import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import { appendLines, type NewLine } from './log.store.ts';

const flushIntervalMs = 100;
const linesPerBatch = 5_000;
/** Maximum number of lines buffered while the database is unavailable. */
const maxWaiting = 50_000;
const maxValueLength = 10_000;

/** Buffers the log lines of all integrations in this process and writes them in batches. */
export class LogWriter {
  readonly #pool: Pool;
  readonly #logger: Logger;
  #waiting: NewLine[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(pool: Pool, logger: Logger) {
    this.#pool = pool;
    this.#logger = logger;
  }

  write(id: string, key: string, value: string): void {
    if (this.#waiting.length >= maxWaiting) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push({ id, atMs: Date.now(), key, value: shorten(value) });
    this.#timer ??= setTimeout(() => void this.flush(), flushIntervalMs);
  }

  /** Writes all buffered lines. Lines that cannot be written stay in the buffer. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#flush());
    return this.#writing;
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting.slice(0, linesPerBatch);
      try {
        await appendLines(this.#pool, lines);
      } catch (error) {
        this.#logger.warn({ err: error, lines: this.#waiting.length }, 'log lines could not be written yet');
        this.#timer ??= setTimeout(() => void this.flush(), flushIntervalMs * 10).unref();
        return;
      }
      this.#waiting.splice(0, lines.length);
    }
    if (this.#dropped > 0) this.#logger.error({ lines: this.#dropped }, 'log lines were dropped');
    this.#dropped = 0;
  }
}

function shorten(value: string): string {
  return value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value;
}
