import type { StoredLine } from '../portal-store/log.store.ts';

/** Consecutive lines with their serialized frames, which are built once for all viewers. */
export interface LineChunk {
  readonly lines: readonly StoredLine[];
  /** Number of the last line. */
  readonly lastSeq: number;
  /** Returns one frame with all lines. */
  batchFrame(): string;
  /** Returns one frame per line. */
  plainFrames(): readonly string[];
}

function createChunk(lines: readonly [StoredLine, ...StoredLine[]]): LineChunk {
  const [first] = lines;
  const last = lines[lines.length - 1] ?? first;
  let batch: string | undefined;
  let plain: readonly string[] | undefined;
  return {
    lines,
    lastSeq: last.seq,
    batchFrame() {
      batch ??= JSON.stringify({
        type: 'lines',
        seq: first.seq,
        lines: lines.map(({ millis, key, value }) => [millis, key, value]),
      });
      return batch;
    },
    plainFrames() {
      plain ??= lines.map(({ seq, millis, key, value }) => JSON.stringify({ value, key, millis, seq }));
      return plain;
    },
  };
}

const maxChunkLines = 500;
const maxChunkChars = 256 * 1024;

/**
 * Splits lines into chunks small enough that one frame does not overload a browser or a slow
 * viewer.
 */
export function splitLines(lines: readonly StoredLine[]): LineChunk[] {
  const chunks: LineChunk[] = [];
  let from = 0;
  let chars = 0;
  for (const [index, { value }] of lines.entries()) {
    const isFull = index - from >= maxChunkLines || (index > from && chars + value.length > maxChunkChars);
    if (isFull) {
      chunks.push(...toChunk(lines.slice(from, index)));
      from = index;
      chars = 0;
    }
    chars += value.length;
  }
  return [...chunks, ...toChunk(lines.slice(from))];
}

function toChunk([first, ...others]: readonly StoredLine[]): LineChunk[] {
  return first ? [createChunk([first, ...others])] : [];
}

/** The newest lines of one integration, shared by all its viewers. */
export class LogWindow {
  readonly #maxLines: number;
  #chunks: LineChunk[] = [];
  #count = 0;
  /** Number of the line before the first cached one. */
  #before: number;
  #lastSeq: number;

  /** @param before number of the line before the first one to be appended */
  constructor(before: number, maxLines: number) {
    this.#before = before;
    this.#lastSeq = before;
    this.#maxLines = maxLines;
  }

  get before(): number {
    return this.#before;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /**
   * Appends the lines that follow the last one, and evicts the oldest. Evicted lines are still in
   * the table.
   */
  append(lines: readonly StoredLine[]): void {
    for (const chunk of splitLines(lines)) {
      this.#chunks.push(chunk);
      this.#count += chunk.lines.length;
      this.#lastSeq = chunk.lastSeq;
    }
    while (this.#count > this.#maxLines && this.#chunks.length > 1) {
      const oldest = this.#chunks.shift();
      if (!oldest) return;
      this.#count -= oldest.lines.length;
      this.#before = oldest.lastSeq;
    }
  }

  /**
   * Returns the lines after number `after`: null when there are none, 'earlier' when they are no
   * longer cached.
   */
  read(after: number): LineChunk | 'earlier' | null {
    if (after >= this.#lastSeq) return null;
    if (after < this.#before) return 'earlier';
    const chunk = this.#chunks.find(({ lastSeq }) => lastSeq > after);
    if (!chunk) return null;
    const [first, ...others] = chunk.lines.filter(({ seq }) => seq > after);
    if (!first) return null;
    return others.length + 1 === chunk.lines.length ? chunk : createChunk([first, ...others]);
  }
}
