import { Worker } from 'node:worker_threads';
import { Unreachable } from '@portal/kit/problems';
import type { Shift } from '../roster-source.ts';
import type { CalendarJob, CalendarOutcome } from './calendar-worker.ts';
import { unpackShifts } from './packed-shifts.ts';

const mostWorkers = 2;
const usualPatienceMs = 20_000;

/**
 * Works feeds out in threads of their own, one feed after another in each. A feed that takes too long is given up together
 * with its thread: there are rules of recurrence that never come to an end.
 */
export class CalendarExpander {
  readonly #patienceMs: number;
  readonly #idle: Worker[] = [];
  readonly #waiting: ((worker: Worker) => void)[] = [];
  #workers = 0;
  #stopped = false;

  constructor({ patienceMs = usualPatienceMs }: { readonly patienceMs?: number } = {}) {
    this.#patienceMs = patienceMs;
  }

  /**
   * See `expandCalendar`; throws Unreachable with a sentence for people.
   *
   * @param what How the sentence begins: "The calendar of Health"
   */
  async expand(what: string, job: CalendarJob): Promise<readonly (readonly Shift[])[]> {
    const worker = await this.#take();
    try {
      const outcome = await this.#run(worker, job);
      if ('shifts' in outcome) return unpackShifts(outcome.shifts);
      throw new Unreachable(`${what} cannot be read: ${outcome.problem}.`);
    } finally {
      this.#giveBack(worker);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#idle.splice(0).map((worker) => worker.terminate()));
  }

  #take(): Promise<Worker> {
    const worker = this.#idle.pop();
    if (worker) return Promise.resolve(worker);
    if (this.#workers < mostWorkers) return Promise.resolve(this.#begin());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #begin(): Worker {
    this.#workers += 1;
    const worker = new Worker(new URL('./calendar-thread.mjs', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    worker.unref();
    // Whoever has a job there hears of it; without any listener it would end the server.
    worker.on('error', () => undefined);
    worker.once('exit', () => this.#forget(worker));
    return worker;
  }

  #forget(worker: Worker): void {
    this.#workers -= 1;
    const index = this.#idle.indexOf(worker);
    if (index >= 0) this.#idle.splice(index, 1);
    if (this.#stopped) return;
    const next = this.#waiting.shift();
    if (next) next(this.#begin());
  }

  #run(worker: Worker, job: CalendarJob): Promise<CalendarOutcome> {
    const timer = setTimeout(() => void worker.terminate(), this.#patienceMs);
    const tooMuch: CalendarOutcome = { problem: 'it is too much to work out' };
    return new Promise<CalendarOutcome>((resolve, reject) => {
      const end = (outcome: CalendarOutcome | Error) => {
        worker.off('message', end).off('error', fail).off('exit', giveUp);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const fail = (error: Error) => end(isOutOfMemory(error) ? tooMuch : error);
      const giveUp = () => end(tooMuch);
      worker.on('message', end).on('error', fail).on('exit', giveUp);
      worker.postMessage(job);
    }).finally(() => clearTimeout(timer));
  }

  #giveBack(worker: Worker): void {
    // Negative once it has ended.
    if (worker.threadId < 0) return;
    const next = this.#waiting.shift();
    if (next) next(worker);
    else if (this.#stopped) void worker.terminate();
    else this.#idle.push(worker);
  }
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
