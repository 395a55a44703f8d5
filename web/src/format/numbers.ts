/** Formats counts, bytes and shares. */

const countFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });
const threeDigitFormat = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const percentFormat = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

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
  return `${threeDigitFormat.format(bytes / 1024 ** power)} ${byteUnits[power] ?? 'B'}`;
}

/**
 * Formats a fraction as a percentage: 0.1234 is "12.3 %". A share above zero is never shown as
 * zero.
 */
export function formatShare(share: number): string {
  return share > 0 && share < 0.001 ? '< 0.1 %' : `${percentFormat.format(share * 100)} %`;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
