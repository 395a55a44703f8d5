import type { StoredLine } from '../portal-store/log.store.ts';

/**
 * Consecutive lines, with the frames that carry them: made once, whatever the number of viewers.
 */
export interface LineChunk {
  readonly lines: readonly StoredLine[];
  /** Number of the last line. */
  readonly lastSeq: number;
  /** One frame of many lines. */
  batchFrame(): string;
  /** One frame for each line. */
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

const maxLines = 500;
const maxChars = 256 * 1024;

/**
 * Cuts lines into runs that make frames of a handy size: a browser must not stumble over one, nor a
 * slow viewer.
 */
export function splitLines(lines: readonly StoredLine[]): LineChunk[] {
  const chunks: LineChunk[] = [];
  let from = 0;
  let chars = 0;
  for (const [index, { value }] of lines.entries()) {
    const isFull = index - from >= maxLines || (index > from && chars + value.length > maxChars);
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

/** The newest lines of one integration, for all its viewers. */
export class LogWindow {
  readonly #maxLines: number;
  #chunks: LineChunk[] = [];
  #count = 0;
  /** Number of the line before the first one here. */
  #before: number;
  #lastSeq: number;

  /** @param before number of the last line that will not be here */
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
   * Lines that follow the last; they are shown whole, for what is cut off later is in the table.
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
   * What follows the line numbered `after`: null when nothing does, 'earlier' when that is no
   * longer here.
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
