import { Invalid } from '@portal/kit/problems';
import { JobTooExpensive, WorkerPool } from '@portal/kit/worker-pool';
import type { CsvReading } from './read-shifts-csv.ts';
import type { CsvJob } from './shifts-csv-worker.ts';

const maxWorkers = 2;
const defaultTimeoutMs = 10_000;

/** Reads the CSV texts of imports in worker threads. */
export class ShiftsCsvReader {
  readonly #workers: WorkerPool<CsvJob, CsvReading>;

  constructor({ timeoutMs = defaultTimeoutMs }: { readonly timeoutMs?: number } = {}) {
    const module = new URL('./shifts-csv-thread.mjs', import.meta.url);
    this.#workers = new WorkerPool({ module, maxWorkers, timeoutMs });
  }

  /** Reads shifts like `readShiftsCsv`. Throws Invalid if it takes too long. */
  async read(csv: string, timeZone: string): Promise<CsvReading> {
    try {
      return await this.#workers.run({ csv, timeZone });
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
