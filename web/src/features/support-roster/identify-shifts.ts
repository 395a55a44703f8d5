import type { RosterRow } from '@portal/contract/support-roster';

/**
 * Adds an id to each shift, which is the same in every list that has the shift. Shifts that were
 * imported twice are equal, and are counted.
 */
export function identifyShifts(rows: readonly RosterRow[]): readonly (RosterRow & { readonly id: string })[] {
  const counts = new Map<string, number>();
  return rows.map((row) => {
    const key = JSON.stringify([row.personId, row.start, row.end]);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return { ...row, id: `${key} ${count}` };
  });
}
