/** Quotes a name for SQL that people run by hand, as PostgreSQL does. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
