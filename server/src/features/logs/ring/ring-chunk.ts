import type { LogLine, LogMessage } from '@portal/contract/logs';

/** One line as received from the platform. */
export interface ReceivedLine extends LogMessage {
  /**
   * Opaque id; the same on the platform's stream and in `__logging_log__`. Null for what the
   * platform sent without being a record.
   */
  readonly id: string | null;
}

/**
 * Consecutive lines, stored only as the bytes of their frame. A hundred viewers cost one
 * serialization, and a hundred thousand lines cost the garbage collector a few hundred objects.
 */
export interface RingChunk {
  /** Sequence number of the first line. */
  readonly seq: number;
  /** Number of lines, at least one. */
  readonly count: number;
  readonly minMillis: number;
  readonly maxMillis: number;
  /** A complete `lines` frame of the contract, as UTF-8. */
  readonly frame: Buffer;
  /**
   * Set on the first chunk of a filled gap: the number of lines from here on that come from
   * `__logging_log__`.
   */
  readonly filled: number;
  /**
   * The lines themselves while they are new, for viewers that need another format; null soon after.
   */
  lines: readonly LogLine[] | null;
}

export function createChunk(seq: number, lines: readonly LogLine[], filled = 0): RingChunk {
  let minMillis = Number.POSITIVE_INFINITY;
  let maxMillis = Number.NEGATIVE_INFINITY;
  for (const [millis] of lines) {
    if (millis < minMillis) minMillis = millis;
    if (millis > maxMillis) maxMillis = millis;
  }
  const frame = Buffer.from(`{"type":"lines","seq":${seq},"lines":${JSON.stringify(lines)}}`);
  return { seq, count: lines.length, minMillis, maxMillis, frame, filled, lines };
}

export function getLines(chunk: RingChunk): readonly LogLine[] {
  if (chunk.lines !== null) return chunk.lines;
  const frame: { lines: LogLine[] } = JSON.parse(chunk.frame.toString());
  return frame.lines;
}

/**
 * Returns the rest of a chunk from the line with this sequence number. Parses the frame again,
 * which only happens on resume.
 */
export function sliceChunk(chunk: RingChunk, seq: number): RingChunk {
  return seq <= chunk.seq ? chunk : createChunk(seq, getLines(chunk).slice(seq - chunk.seq));
}

/** Splits records into runs whose frames are small enough for browsers and slow viewers. */
export function* splitRuns(
  records: readonly LogMessage[],
  limits: { lines: number; chars: number },
): Generator<LogLine[]> {
  let run: LogLine[] = [];
  let chars = 0;
  for (const { millis, key, value } of records) {
    if (run.length > 0 && (run.length >= limits.lines || chars + value.length > limits.chars)) {
      yield run;
      run = [];
      chars = 0;
    }
    run.push([millis, key, value]);
    chars += value.length;
  }
  if (run.length > 0) yield run;
}
