import { formatPlural } from '../../../format/numbers.ts';

export interface ObjectCount {
  readonly kind: string;
  readonly count: number;
}

/** Formats counts: "12 tables, 1 view and 3 materialized views", or "no objects". */
export function describeCounts(counts: readonly ObjectCount[]): string {
  const texts = counts.filter(({ count }) => count > 0).map(countText);
  if (texts.length === 0) return 'no objects';
  return texts.length === 1 ? String(texts[0]) : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}

export function countText({ kind, count }: ObjectCount): string {
  return formatPlural(count, kind, toPlural(kind));
}

export function sumCounts(counts: readonly ObjectCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

function toPlural(kind: string): string {
  if (/[^aeiou]y$/.test(kind)) return kind.replace(/y$/, 'ies');
  if (/(ss|x)$/.test(kind)) return `${kind}es`;
  return kind.endsWith('s') ? kind : `${kind}s`;
}
