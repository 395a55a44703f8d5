const maxCharacters = 300;

/** The beginning of a statement in one line, for a cell: comments and line breaks gone. */
export function toSqlHeadline(sql: string): string {
  const line = sql
    .slice(0, 4 * maxCharacters)
    .replace(/^(?:\s*(?:--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/))+/, '')
    .replace(/\s+/g, ' ')
    .trim();
  // A statement of comments alone still shows something.
  return (line === '' ? sql.trim() : line).slice(0, maxCharacters);
}
