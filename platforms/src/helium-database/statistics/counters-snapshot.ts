import type { HeliumDatabase } from '../database.ts';
import { readInBatches } from '../read-in-batches.ts';
import { counterNames, getCounterColumns, getIdColumn, getStatementsSource } from './statement-columns.ts';
import type { StatisticsExtension, StatisticsServer } from './statistics-server.ts';

/**
 * The counters of all statements of a database at one moment, stored by column to save memory and
 * time.
 */
export interface CountersSnapshot {
  readonly ids: string[];
  /**
   * In the order of `counterNames`, each as long as `ids`; null for counters this server does not
   * have.
   */
  readonly counters: (number | null)[][];
}

/** Reads no texts, so the server does not even open the file that holds them. */
export async function readCounters(
  database: HeliumDatabase,
  server: StatisticsServer,
  extension: StatisticsExtension,
): Promise<CountersSnapshot> {
  const columns = getCounterColumns(server, extension);
  const sql = `
    select ${getIdColumn(extension, '$1')}, ${counterNames.map((name) => columns[name]).join(', ')}
    from ${getStatementsSource(extension)} s`;
  const ids: string[] = [];
  const counters: (number | null)[][] = counterNames.map(() => []);
  await readInBatches(database, { sql, values: [database.statementIdKey] }, (rows) => {
    ids.push(...rows.map(([id]) => id ?? ''));
    for (const [index, column] of counters.entries()) column.push(...rows.map((row) => parseCounter(row[index + 1])));
  });
  return { ids, counters };
}

function parseCounter(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text);
}
