/** Puts what is not synced, although it seems meant to be, into words for operators. */
import type { MappingNote } from './object-map.ts';

export interface MappingWarnings {
  readonly count: number;
  /** One or two sentences each, not more than are read. */
  readonly first: readonly string[];
}

const maxListed = 10;

export function listWarnings(notes: readonly MappingNote[]): MappingWarnings {
  const warnings = notes.filter(({ severity }) => severity === 'warning');
  const first = warnings.slice(0, maxListed).map(({ table, model, field, reason }) => {
    const name = [table ?? model, field].filter((part) => part !== undefined).join('.');
    return `${name}: ${reason}`;
  });
  return { count: warnings.length, first };
}

/** Returns the warnings as one text of limited length; null when there are none. */
export function describeWarnings({ count, first }: MappingWarnings, maxShown = maxListed): string | null {
  if (count === 0) return null;
  const shown = first.slice(0, maxShown);
  const others = count - shown.length;
  const label = count === 1 ? 'Warning' : `${count} warnings`;
  return `${label}: ${shown.join(' ')}${others > 0 ? ` And ${others} more.` : ''}`;
}
