import { Invalid } from '@portal/kit/problems';
import { JobTooExpensive, WorkerPool } from '@portal/kit/worker-pool';
import { FairSlots, getSlotKey, type SlotUser } from '../../../fair-slots.ts';
import type { CsvReading } from './read-shifts-csv.ts';
import type { CsvJob } from './shifts-csv-worker.ts';

const maxWorkers = 2;
const defaultTimeoutMs = 10_000;

interface CsvSender extends SlotUser {
  readonly environment: { readonly name: string; readonly timeZone: string };
}

/** Reads the CSV texts of imports in worker threads, one at a time per user. */
export class ShiftsCsvReader {
  readonly #slots = new FairSlots({ maxRunning: maxWorkers, maxRunningPerKey: 1 });
  readonly #workers: WorkerPool<CsvJob, CsvReading>;

  constructor({ timeoutMs = defaultTimeoutMs }: { readonly timeoutMs?: number } = {}) {
    const module = new URL('./shifts-csv-thread.mjs', import.meta.url);
    this.#workers = new WorkerPool({ module, maxWorkers, timeoutMs });
  }

  /**
   * Reads shifts like `readShiftsCsv`, in the time zone of the caller's environment. Throws Invalid
   * if it takes too long, and Busy if too many texts wait.
   */
  async read(caller: CsvSender, csv: string): Promise<CsvReading> {
    const { timeZone } = caller.environment;
    try {
      return await this.#slots.run(getSlotKey(caller), () => this.#workers.run({ csv, timeZone }));
    } catch (error) {
      if (error instanceof JobTooExpensive)
        throw new Invalid('Nothing was imported. The file takes too long to read. Split it into parts.');
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.#workers.stop();
  }
}
