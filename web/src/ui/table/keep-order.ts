/**
 * Returns the rows in the order in which they are shown, with their new values. Rows that are no
 * longer found keep their places, and new ones are at the end. Returns `found` itself if that is
 * the same, or if no shown row is found: then it is a different list.
 *
 * @param rows all rows of the table, whether they are found or not
 */
export function keepOrder<Row>(
  shown: readonly Row[],
  { rows, found, rowId }: { rows: readonly Row[]; found: readonly Row[]; rowId: (row: Row) => string },
): readonly Row[] {
  const byId = new Map(rows.map((row) => [rowId(row), row]));
  const current = shown.map((row) => byId.get(rowId(row)) ?? row);
  const foundRows = new Set(found);
  if (!current.some((row) => foundRows.has(row))) return found;
  const shownRows = new Set(current);
  const kept = [...current, ...found.filter((row) => !shownRows.has(row))];
  return kept.length === found.length && kept.every((row, index) => row === found[index]) ? found : kept;
}
