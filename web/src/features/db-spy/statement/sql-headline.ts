const maxCharacters = 300;

/** Returns the start of a statement in one line, without leading comments and line breaks. */
export function toSqlHeadline(sql: string): string {
  const line = sql
    .slice(0, 4 * maxCharacters)
    .replace(/^(?:\s*(?:--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/))+/, '')
    .replace(/\s+/g, ' ')
    .trim();
  // A statement that consists only of comments still shows something.
  return (line === '' ? sql.trim() : line).slice(0, maxCharacters);
}
