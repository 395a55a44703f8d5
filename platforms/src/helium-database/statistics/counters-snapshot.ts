import type { HeliumDatabase } from '../database.ts';
import { columnsOf, counterNames, idOf, statementsIn } from './statement-columns.ts';
import type { StatisticsExtension, StatisticsServer } from './statistics-server.ts';

/**
 * The counters of all statements of a database at one moment, by column: as small and quick as they
 * can be.
 */
export interface CountersSnapshot {
  readonly ids: string[];
  /**
   * In the order of `counterNames`, each as long as `ids`; null for what this server does not keep.
   */
  readonly counters: (number | null)[][];
}

/** Reads no texts: the server does not even open the file they are in. */
export async function readCounters(
  database: HeliumDatabase,
  server: StatisticsServer,
  extension: StatisticsExtension,
): Promise<CountersSnapshot> {
  const columns = columnsOf(server, extension);
  const rows = await database.queryText(
    `select ${idOf(extension)}, ${counterNames.map((name) => columns[name]).join(', ')}
     from ${statementsIn(extension, { withTexts: false })} s`,
  );
  return {
    ids: rows.map(([id]) => id ?? ''),
    counters: counterNames.map((_, index) => rows.map((row) => numberIn(row[index + 1]))),
  };
}

function numberIn(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text);
}
