import type { LogLine, LogMessage } from '@portal/contract/logs';

/** What the platform says of one line. */
export interface LogRecord extends LogMessage {
  /** Opaque; the same on the platform's stream and in `__logging_log__`. */
  readonly id: string;
}

/**
 * Consecutive lines, kept only as the bytes of the frame that carries them: a hundred viewers cost
 * one serialisation, and a hundred thousand lines cost the garbage collector a few hundred objects.
 */
export interface LogChunk {
  /** Number of the first line. */
  readonly seq: number;
  /** Lines in it, at least one. */
  readonly count: number;
  readonly minMillis: number;
  readonly maxMillis: number;
  /** A whole `lines` frame of the contract, as UTF-8. */
  readonly frame: Buffer;
  /**
   * Greater than 0 at the first chunk of a filled time: so many lines from here on come from
   * `__logging_log__`.
   */
  readonly filled: number;
  /**
   * The lines themselves while they are new, for those who need another form of them; null soon
   * after.
   */
  lines: readonly LogLine[] | null;
}

export function createChunk(seq: number, lines: readonly LogLine[], filled = 0): LogChunk {
  let minMillis = Number.POSITIVE_INFINITY;
  let maxMillis = Number.NEGATIVE_INFINITY;
  for (const [millis] of lines) {
    if (millis < minMillis) minMillis = millis;
    if (millis > maxMillis) maxMillis = millis;
  }
  const frame = Buffer.from(`{"type":"lines","seq":${seq},"lines":${JSON.stringify(lines)}}`);
  return { seq, count: lines.length, minMillis, maxMillis, frame, filled, lines };
}

export function getLines(chunk: LogChunk): readonly LogLine[] {
  if (chunk.lines !== null) return chunk.lines;
  const frame: { lines: LogLine[] } = JSON.parse(chunk.frame.toString());
  return frame.lines;
}

/**
 * The rest of a chunk from the line numbered `seq` on. Reads the frame again: for the few who
 * resume, not for the many.
 */
export function sliceChunk(chunk: LogChunk, seq: number): LogChunk {
  return seq <= chunk.seq ? chunk : createChunk(seq, getLines(chunk).slice(seq - chunk.seq));
}

/**
 * Cuts records into runs that make frames of a handy size: a browser must not stumble over one, nor
 * a slow viewer.
 */
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
