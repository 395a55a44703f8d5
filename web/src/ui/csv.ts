export type CsvValue = string | number | boolean | null;

/**
 * Returns a CSV file per RFC 4180, with a byte order mark so that spreadsheets read it as UTF-8.
 */
export function toCsv(headers: readonly string[], rows: readonly (readonly CsvValue[])[]): string {
  return `\uFEFF${[headers, ...rows].map((cells) => cells.map(toCsvCell).join(',')).join('\r\n')}\r\n`;
}

/**
 * Formats one cell. Text that a spreadsheet would run as a formula (starting with = + - @ tab or
 * return) is prefixed with an apostrophe; numbers are unchanged.
 */
export function toCsvCell(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
