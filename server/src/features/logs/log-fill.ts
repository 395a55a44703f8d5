import { setTimeout as wait } from 'node:timers/promises';
import type { LogRecord } from './log-chunk.ts';
import type { LogSource } from './log-source.ts';

export interface FillLimits {
  /** Most rows read after the first opening; of a longer hole the newest rows are filled. */
  readonly lines: number;
  /** How long rows of before the stream was open may take to reach the table. */
  readonly settleMs: number;
  readonly pollMs: number;
}

export interface FillRequest {
  readonly source: LogSource;
  /** Lines later than this may be lacking. */
  readonly afterMillis: number;
  readonly most: number;
  /** Ids of lines already had. */
  readonly had: ReadonlySet<string>;
  /** The first line ever had: what is before it in the table is not missed. */
  readonly firstId: string | null;
  /** What the stream, open again, has brought meanwhile; grows while the fill runs. */
  readonly live: readonly LogRecord[];
  readonly limits: FillLimits;
  readonly signal: AbortSignal;
}

export interface Filled {
  /** What was missed, in order; none of it in `had` or in `live`. */
  readonly records: readonly LogRecord[];
  /** The hole was longer than the limit: what is before the first record is lost. */
  readonly cut: boolean;
}

/**
 * Reads what the stream missed. The table lags behind the stream, so a row may be written only after we looked: we look
 * until a line the stream has brought is in the table too, for then so is all that was before it, or until rows have
 * had the time to settle. Throws when the table cannot be read.
 */
export async function fillHole(request: FillRequest): Promise<Filled> {
  const { source, afterMillis, most, had, firstId, live, limits, signal } = request;
  const settledAt = performance.now() + limits.settleMs;
  for (;;) {
    const rows = await source.logged({ afterMillis, most });
    const liveIds = new Set(live.map((record) => record.id));
    const meets = rows.some((row) => liveIds.has(row.id));
    if (meets || performance.now() >= settledAt || live.length > limits.lines) {
      const oldest = rows[0];
      const cut = rows.length >= most && oldest !== undefined && !had.has(oldest.id);
      const from = Math.max(
        0,
        rows.findIndex((row) => row.id === firstId),
      );
      return { records: rows.slice(from).filter((row) => !had.has(row.id) && !liveIds.has(row.id)), cut };
    }
    await wait(limits.pollMs, undefined, { signal });
  }
}
