import type { LogRecord } from '../ring/log-chunk.ts';
import type { LogSource, RowsRequest } from './log-source.ts';
import { pause } from './pause.ts';

export interface FillLimits {
  /** Most rows read after the first opening; of a longer hole the newest rows are filled. */
  readonly lines: number;
  /** How long rows of before the stream was open may take to reach the table. */
  readonly settleMs: number;
  readonly pollMs: number;
}

export interface FillRequest {
  readonly source: LogSource;
  readonly rowsRequest: RowsRequest;
  /** Ids of lines already had. */
  readonly knownIds: ReadonlySet<string>;
  /** The first line ever had: what is before it in the table is not missed. */
  readonly firstId: string | null;
  /** What the stream, open again, has brought meanwhile; grows while the fill runs. */
  readonly live: readonly LogRecord[];
  readonly limits: FillLimits;
  readonly signal: AbortSignal;
}

export interface FillResult {
  /** What was missed, in order; none of it in `had` or in `live`. */
  readonly records: readonly LogRecord[];
  /** The hole was longer than the limit: what is before the first record is lost. */
  readonly isTruncated: boolean;
  /** Nothing can be missed any more; otherwise a row may yet be written. */
  readonly isSure: boolean;
}

/**
 * Reads what the stream missed. The table lags behind the stream, so a row may be written only
 * after we looked: we look until a line the stream has brought is in the table too, for then so is
 * all that was before it, or until rows have had the time to settle. Throws when the table cannot
 * be read.
 */
export async function fillHole(request: FillRequest): Promise<FillResult> {
  const { source, rowsRequest, knownIds, firstId, live, limits, signal } = request;
  const settledAt = performance.now() + limits.settleMs;
  for (;;) {
    const rows = await source.readRows(rowsRequest);
    const liveIds = new Set(live.map((record) => record.id));
    const firstLive = rows.findIndex((row) => liveIds.has(row.id));
    if (firstLive !== -1 || performance.now() >= settledAt || live.length > limits.lines) {
      const isNew = (row: LogRecord) => !knownIds.has(row.id) && !liveIds.has(row.id);
      const from = rows.findIndex((row) => row.id === firstId);
      const until = firstLive === -1 ? rows.length : firstLive;
      const oldest = rows[0];
      return {
        records: rows.slice(Math.max(0, from), until).filter(isNew),
        isTruncated:
          rows.length >= rowsRequest.maxRows && from === -1 && oldest !== undefined && !knownIds.has(oldest.id),
        // Rows behind the first live line are on their way, unless clocks put them there.
        isSure: firstLive !== -1 && !rows.slice(until).some(isNew),
      };
    }
    await pause(limits.pollMs, signal);
  }
}
