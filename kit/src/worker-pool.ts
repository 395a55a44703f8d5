import { Worker } from 'node:worker_threads';
import { Unreachable } from './problems.ts';

export interface WorkerPoolOptions {
  /**
   * The thread's module. It posts any message when it is ready, and then one outcome for each job
   * it receives.
   */
  readonly module: URL;
  readonly maxWorkers: number;
  /** A job that takes longer is abandoned. */
  readonly timeoutMs: number;
}

/** A job took too long or needed too much memory. */
export class JobTooExpensive extends Error {}

/**
 * Runs jobs in worker threads, one job at a time per thread. Threads start when they are needed. A
 * job that takes too long is abandoned and its thread terminated.
 */
export class WorkerPool<Job, Outcome> {
  readonly #options: WorkerPoolOptions;
  readonly #idle: Worker[] = [];
  readonly #waiting: ((worker: Worker | Promise<Worker>) => void)[] = [];
  readonly #workers = new Set<Worker>();
  #stopped = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Throws JobTooExpensive, and Unreachable if the pool was stopped. */
  async run(job: Job): Promise<Outcome> {
    const worker = await this.#acquire();
    try {
      return await this.#runIn(worker, job);
    } finally {
      this.#release(worker);
    }
  }

  /** Ends all jobs, running and waiting. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const next of this.#waiting.splice(0)) next(this.#startWorker());
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  #acquire(): Promise<Worker> {
    const worker = this.#idle.pop();
    worker?.ref();
    if (worker) return Promise.resolve(worker);
    if (this.#workers.size < this.#options.maxWorkers) return this.#startWorker();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Resolves when the thread is ready. Only then does the time limit start, because starting a
   * thread can be slow on a busy machine.
   */
  #startWorker(): Promise<Worker> {
    if (this.#stopped) return Promise.reject(createStopped());
    const worker = new Worker(this.#options.module, { resourceLimits: { maxOldGenerationSizeMb: 512 } });
    this.#workers.add(worker);
    // A thread with an uncaught error is about to exit, so it must not receive another job.
    worker.on('error', () => this.#remove(worker));
    worker.once('exit', () => this.#remove(worker));
    return new Promise((resolve, reject) => {
      worker.once('error', reject);
      worker.once('exit', () => reject(createStopped()));
      worker.once('message', () => {
        worker.off('error', reject);
        resolve(worker);
      });
    });
  }

  #remove(worker: Worker): void {
    if (!this.#workers.delete(worker)) return;
    const index = this.#idle.indexOf(worker);
    if (index >= 0) this.#idle.splice(index, 1);
    const next = this.#waiting.shift();
    if (next) next(this.#startWorker());
  }

  #runIn(worker: Worker, job: Job): Promise<Outcome> {
    const timer = setTimeout(() => void worker.terminate(), this.#options.timeoutMs);
    return new Promise<Outcome>((resolve, reject) => {
      const end = (settle: () => void) => {
        worker.off('message', succeed).off('error', fail).off('exit', giveUp);
        settle();
      };
      const succeed = (outcome: Outcome) => end(() => resolve(outcome));
      const fail = (error: Error) => end(() => reject(isOutOfMemory(error) ? new JobTooExpensive() : error));
      const giveUp = () => end(() => reject(this.#stopped ? createStopped() : new JobTooExpensive()));
      worker.on('message', succeed).on('error', fail).on('exit', giveUp);
      worker.postMessage(job);
    }).finally(() => clearTimeout(timer));
  }

  #release(worker: Worker): void {
    if (!this.#workers.has(worker)) return;
    const next = this.#waiting.shift();
    if (next) {
      next(worker);
    } else {
      worker.unref();
      this.#idle.push(worker);
    }
  }
}

function createStopped(): Unreachable {
  return new Unreachable('The worker thread has stopped. Try again.');
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
