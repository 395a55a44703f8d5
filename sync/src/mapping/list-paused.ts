import type { MappingChange } from './compare-mappings.ts';

interface PausedObjects {
  readonly count: number;
  readonly first: { readonly object: string; readonly reason: string }[];
}

const maxListed = 50;
const maxReasonLength = 500;

/** Returns the objects that these changes pause, with what each has lost. */
export function listPaused(breaking: readonly MappingChange[]): PausedObjects {
  const byTable = new Map<string, string[]>();
  for (const { table, field, change } of breaking)
    byTable.set(table, [...(byTable.get(table) ?? []), field ? `${field}: ${change}` : change]);
  const first = [...byTable].slice(0, maxListed).map(([object, changes]) => ({
    object,
    reason: shorten(changes.join(' ')),
  }));
  return { count: byTable.size, first };
}

function shorten(text: string): string {
  return text.length > maxReasonLength ? `${text.slice(0, maxReasonLength - 1)}…` : text;
}
