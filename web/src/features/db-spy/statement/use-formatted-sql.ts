import { useEffect, useState } from 'react';

/** Longer statements take too long to format. */
const maxCharacters = 50_000;

/**
 * Returns the formatted statement, or the original if it cannot be formatted; null while
 * formatting.
 */
export function useFormattedSql(sql: string | null): string | null {
  const [formatted, setFormatted] = useState<{ readonly from: string; readonly text: string } | null>(null);
  useEffect(() => {
    if (sql === null) return;
    let isCanceled = false;
    void formatOrKeep(sql).then((text) => !isCanceled && setFormatted({ from: sql, text }));
    return () => {
      isCanceled = true;
    };
  }, [sql]);
  return formatted !== null && formatted.from === sql ? formatted.text : null;
}

async function formatOrKeep(sql: string): Promise<string> {
  if (sql.length > maxCharacters) return sql;
  try {
    const { formatSql } = await import('./sql-formatting.ts');
    return formatSql(sql);
  } catch {
    return sql;
  }
}
