const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
const format = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** "812 B", "1.5 MiB". */
export function formatBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${format.format(bytes / 1024 ** power)} ${units[power] ?? 'B'}`;
}
