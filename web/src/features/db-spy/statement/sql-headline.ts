const mostCharacters = 300;

/** The beginning of a statement in one line, for a cell: comments and line breaks gone. */
export function headlineOfSql(sql: string): string {
  const line = sql
    .slice(0, 4 * mostCharacters)
    .replace(/^(?:\s*(?:--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/))+/, '')
    .replace(/\s+/g, ' ')
    .trim();
  // A statement of comments alone still shows something.
  return (line === '' ? sql.trim() : line).slice(0, mostCharacters);
}
