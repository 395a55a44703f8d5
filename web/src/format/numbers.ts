/** Formats counts, bytes and shares. */

const countFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });
const threeDigitFormat = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const percentFormat = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Between a number and its unit, which a line break must not separate. */
const unitSpace = '\u00a0';

/** Formats a count with thousands separators. */
export function formatCount(count: number): string {
  return countFormat.format(count);
}

/** Formats a count with its noun: "1 app", "2 apps". */
export function formatPlural(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Formats bytes: "812 B", "1.5 MiB". */
export function formatBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log2(bytes) / 10));
  return formatUnit(threeDigitFormat.format(bytes / 1024 ** power), byteUnits[power] ?? 'B');
}

/**
 * Formats a fraction as a percentage: 0.1234 is "12.3 %". A share above zero is never shown as
 * zero.
 */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.001) return formatUnit(`<${unitSpace}0.1`, '%');
  return formatUnit(percentFormat.format(share * 100), '%');
}

/** Joins a number and its unit, so that they are on one line: "446 ms". */
export function formatUnit(value: number | string, unit: string): string {
  return `${value}${unitSpace}${unit}`;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
