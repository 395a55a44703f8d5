import { formatDialect, postgresql } from 'sql-formatter';

/** Formats SQL for reading. Throws on SQL it cannot parse, such as a truncated statement. */
export function formatSql(sql: string): string {
  return formatDialect(sql, { dialect: postgresql, keywordCase: 'preserve', tabWidth: 2, expressionWidth: 80 });
}
