import type { StoredLine } from '../portal-store/log.store.ts';

/**
 * Consecutive lines, with the frames that carry them: made once, whatever the number of viewers.
 */
export interface LineRun {
  readonly lines: readonly StoredLine[];
  /** Number of the last line. */
  readonly lastSeq: number;
  /** One frame of many lines. */
  batchFrame(): string;
  /** One frame for each line. */
  plainFrames(): readonly string[];
}

function lineRun(lines: readonly [StoredLine, ...StoredLine[]]): LineRun {
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

const mostLines = 500;
const mostChars = 256 * 1024;

/**
 * Cuts lines into runs that make frames of a handy size: a browser must not stumble over one, nor a
 * slow viewer.
 */
export function runsOf(lines: readonly StoredLine[]): LineRun[] {
  const runs: LineRun[] = [];
  let from = 0;
  let chars = 0;
  for (const [index, { value }] of lines.entries()) {
    const isFull = index - from >= mostLines || (index > from && chars + value.length > mostChars);
    if (isFull) {
      runs.push(...runOf(lines.slice(from, index)));
      from = index;
      chars = 0;
    }
    chars += value.length;
  }
  return [...runs, ...runOf(lines.slice(from))];
}

function runOf([first, ...others]: readonly StoredLine[]): LineRun[] {
  return first ? [lineRun([first, ...others])] : [];
}

/** The newest lines of one integration, for all its viewers. */
export class LogWindow {
  readonly #most: number;
  #runs: LineRun[] = [];
  #count = 0;
  /** Number of the line before the first one here. */
  #before: number;
  #lastSeq: number;

  /** @param before number of the last line that will not be here */
  constructor(before: number, most: number) {
    this.#before = before;
    this.#lastSeq = before;
    this.#most = most;
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
    for (const run of runsOf(lines)) {
      this.#runs.push(run);
      this.#count += run.lines.length;
      this.#lastSeq = run.lastSeq;
    }
    while (this.#count > this.#most && this.#runs.length > 1) {
      const oldest = this.#runs.shift();
      if (!oldest) return;
      this.#count -= oldest.lines.length;
      this.#before = oldest.lastSeq;
    }
  }

  /**
   * What follows the line numbered `after`: null when nothing does, 'earlier' when that is no
   * longer here.
   */
  read(after: number): LineRun | 'earlier' | null {
    if (after >= this.#lastSeq) return null;
    if (after < this.#before) return 'earlier';
    const run = this.#runs.find(({ lastSeq }) => lastSeq > after);
    if (!run) return null;
    const [first, ...others] = run.lines.filter(({ seq }) => seq > after);
    if (!first) return null;
    return others.length + 1 === run.lines.length ? run : lineRun([first, ...others]);
  }
}
