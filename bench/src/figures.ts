import { describeMachine } from './machine.ts';

/** One row of a benchmark's table. Cells are formatted by the benchmark, with units. */
export interface Figure {
  readonly what: string;
  readonly ours: string;
  readonly peer?: string;
  readonly ratio?: number;
  readonly goal?: string;
  readonly met?: boolean;
}

/** Prints the table as Markdown, in the format of docs/benchmarks.md. */
export function printFigures(title: string, figures: readonly Figure[]): void {
  const rows = figures.map((figure) => [
    figure.what,
    figure.ours,
    figure.peer ?? '–',
    figure.ratio === undefined ? '–' : figure.ratio.toFixed(2),
    figure.goal ?? '–',
    figure.met === undefined ? '–' : figure.met ? 'met' : '**missed**',
  ]);
  const all = [['Figure', 'Portal', 'Peer', 'Ratio', 'Goal', ''], ...rows];
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length), 3));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  console.log(`\n### ${title}\n${describeMachine()}\n`);
  for (const row of [all[0] ?? [], widths.map((width) => '-'.repeat(width)), ...rows]) console.log(line(row));
  console.log();
}

/** Returns a row that is met up to the goal. */
export function atMost(what: string, value: number, unit: string, goal: number): Figure {
  const format = (amount: number) => `${count(amount)} ${unit}`.trim();
  return { what, ours: format(value), goal: `≤ ${format(goal)}`, met: value <= goal };
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Nearest rank; 0 for an empty list. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
}

/** 12345.6 → "12,346"; below ten, non-integers have one decimal. */
export function count(value: number): string {
  return value < 10 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value).toLocaleString('en-US');
}
