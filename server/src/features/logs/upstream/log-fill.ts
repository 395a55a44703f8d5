import type { ReceivedLine } from '../ring/ring-chunk.ts';
import type { LogSource, RowsRequest } from './log-source.ts';
import { pause } from './pause.ts';

export interface FillLimits {
  /** Maximum rows read after a reconnect; of a longer gap, the newest rows are filled. */
  readonly lines: number;
  /** How long rows from before the stream opened may take to reach the table. */
  readonly settleMs: number;
  readonly pollMs: number;
}

export interface FillRequest {
  readonly source: LogSource;
  readonly rowsRequest: RowsRequest;
  /** Ids of lines that were already received. */
  readonly knownIds: ReadonlySet<string | null>;
  /** Id of the first line ever received; older rows in the table are not considered missed. */
  readonly firstId: string | null;
  /** Lines received since the stream reopened; grows while the fill runs. */
  readonly live: readonly ReceivedLine[];
  readonly limits: FillLimits;
  readonly signal: AbortSignal;
}

export interface FillResult {
  /** The missed lines in order; none of them is in `knownIds` or `live`. */
  readonly records: readonly ReceivedLine[];
  /** True if the gap was longer than the limit; lines before the first record are lost. */
  readonly isTruncated: boolean;
  /** True if nothing is missing; otherwise a row may still be written. */
  readonly isSure: boolean;
}

/**
 * Reads the lines that the stream missed. The table lags behind the stream, so it is read until it
 * contains a line from the stream, and thus everything before it, or until the settle time has
 * passed. Throws if the table cannot be read.
 */
export async function fillHole(request: FillRequest): Promise<FillResult> {
  const { source, rowsRequest, knownIds, firstId, live, limits, signal } = request;
  const settledAt = performance.now() + limits.settleMs;
  for (;;) {
    const rows = await source.readRows(rowsRequest);
    const liveIds = new Set(live.map((record) => record.id));
    const firstLive = rows.findIndex((row) => liveIds.has(row.id));
    if (firstLive !== -1 || performance.now() >= settledAt || live.length > limits.lines) {
      const isNew = (row: ReceivedLine) => !knownIds.has(row.id) && !liveIds.has(row.id);
      const from = rows.findIndex((row) => row.id === firstId);
      const until = firstLive === -1 ? rows.length : firstLive;
      const oldest = rows[0];
      return {
        records: rows.slice(Math.max(0, from), until).filter(isNew),
        isTruncated:
          rows.length >= rowsRequest.maxRows && from === -1 && oldest !== undefined && !knownIds.has(oldest.id),
        // Rows after the first live line will still arrive on the stream, unless they were out of
        // order.
        isSure: firstLive !== -1 && !rows.slice(until).some(isNew),
      };
    }
    await pause(limits.pollMs, signal);
  }
}
