import { formatDialect, postgresql } from 'sql-formatter';

/**
 * SQL as people lay it out. Throws where it cannot be read, as a statement that was cut often
 * cannot.
 */
export function formatSql(sql: string): string {
  return formatDialect(sql, { dialect: postgresql, keywordCase: 'preserve', tabWidth: 2, expressionWidth: 80 });
}
