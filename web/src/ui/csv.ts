export type CsvValue = string | number | boolean | null;

/** RFC 4180 with a byte order mark, so that spreadsheets read UTF-8. */
export function csvOf(headers: readonly string[], rows: readonly (readonly CsvValue[])[]): string {
  return `\uFEFF${[headers, ...rows].map((cells) => cells.map(csvCell).join(',')).join('\r\n')}\r\n`;
}

/**
 * One cell. Text that a spreadsheet would run as a formula (it begins with = + - @ tab or return)
 * gets an apostrophe before it; numbers stay numbers.
 */
export function csvCell(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
