export type CsvValue = string | number | boolean | null;

/**
 * Returns a CSV file per RFC 4180, with a byte order mark so that spreadsheets read it as UTF-8.
 */
export function toCsv(headers: readonly string[], rows: readonly (readonly CsvValue[])[]): string {
  return `\uFEFF${[headers, ...rows].map((cells) => cells.map(toCsvCell).join(',')).join('\r\n')}\r\n`;
}

/**
 * The starts of formulas: = + - @, also in full width, which spreadsheets in East Asian languages
 * accept, and the blanks that some skip.
 */
const formula = /^[=+\-@＝＋－＠\t\r]/;

/**
 * Formats one cell. Text that a spreadsheet would run as a formula is prefixed with an apostrophe;
 * numbers are unchanged.
 */
export function toCsvCell(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
