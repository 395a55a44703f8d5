import { Worker } from 'node:worker_threads';
import { Unreachable } from '@portal/kit/problems';
import type { Shift } from '../roster-source.ts';
import type { CalendarJob, CalendarOutcome } from './calendar-worker.ts';
import { unpackShifts } from './packed-shifts.ts';

const maxWorkers = 2;
const defaultTimeoutMs = 20_000;

/**
 * Expands calendar feeds in worker threads, one feed at a time per thread. A feed that takes too
 * long is abandoned and its thread terminated, because some recurrence rules never end.
 */
export class CalendarExpander {
  readonly #timeoutMs: number;
  readonly #idle: Worker[] = [];
  readonly #waiting: ((worker: Worker | Promise<Worker>) => void)[] = [];
  readonly #workers = new Set<Worker>();
  #stopped = false;

  constructor({ timeoutMs = defaultTimeoutMs }: { readonly timeoutMs?: number } = {}) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Like `expandCalendar`, but throws Unreachable with a message for people.
   *
   * @param what the subject of the message: "The calendar of Health"
   */
  async expand(what: string, job: CalendarJob): Promise<readonly (readonly Shift[])[]> {
    const worker = await this.#acquire();
    try {
      const outcome = await this.#run(worker, job);
      if ('shifts' in outcome) return unpackShifts(outcome.shifts);
      throw new Unreachable(`${what} cannot be read: ${outcome.problem}.`);
    } finally {
      this.#release(worker);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  #acquire(): Promise<Worker> {
    const worker = this.#idle.pop();
    worker?.ref();
    if (worker) return Promise.resolve(worker);
    if (this.#workers.size < maxWorkers) return this.#startWorker();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Resolves when the thread is ready. Only then does the time limit start, because starting a
   * thread can be slow on a busy machine.
   */
  #startWorker(): Promise<Worker> {
    const worker = new Worker(new URL('./calendar-thread.mjs', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    this.#workers.add(worker);
    // The running job handles the error; without any listener it would end the process.
    worker.on('error', () => undefined);
    worker.once('exit', () => this.#remove(worker));
    return new Promise((resolve, reject) => {
      worker.once('error', reject);
      worker.once('exit', () =>
        reject(new Unreachable('Calendars cannot be read because the worker thread has stopped.')),
      );
      worker.once('message', () => {
        worker.off('error', reject);
        resolve(worker);
      });
    });
  }

  #remove(worker: Worker): void {
    this.#workers.delete(worker);
    const index = this.#idle.indexOf(worker);
    if (index >= 0) this.#idle.splice(index, 1);
    if (this.#stopped) return;
    const next = this.#waiting.shift();
    if (next) next(this.#startWorker());
  }

  #run(worker: Worker, job: CalendarJob): Promise<CalendarOutcome> {
    const timer = setTimeout(() => void worker.terminate(), this.#timeoutMs);
    const tooExpensive: CalendarOutcome = { problem: 'its events take too long to expand' };
    return new Promise<CalendarOutcome>((resolve, reject) => {
      const end = (outcome: CalendarOutcome | Error) => {
        worker.off('message', end).off('error', fail).off('exit', giveUp);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const fail = (error: Error) => end(isOutOfMemory(error) ? tooExpensive : error);
      const giveUp = () => end(tooExpensive);
      worker.on('message', end).on('error', fail).on('exit', giveUp);
      worker.postMessage(job);
    }).finally(() => clearTimeout(timer));
  }

  #release(worker: Worker): void {
    // The id is negative after the thread has stopped.
    if (worker.threadId < 0) return;
    const next = this.#waiting.shift();
    if (next) {
      next(worker);
    } else {
      worker.unref();
      this.#idle.push(worker);
    }
  }
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
