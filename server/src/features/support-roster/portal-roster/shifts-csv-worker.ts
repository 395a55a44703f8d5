/** Reads CSV outside the main thread, which thousands of lines would block. */
import { parentPort } from 'node:worker_threads';
import { readShiftsCsv } from './read-shifts-csv.ts';

export interface CsvJob {
  readonly csv: string;
  readonly timeZone: string;
}

parentPort?.on('message', ({ csv, timeZone }: CsvJob) => {
  parentPort?.postMessage(readShiftsCsv(csv, timeZone));
});

// Reports that the thread is ready.
parentPort?.postMessage('ready');
