import { formatCount, formatUnit } from './numbers.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;

const threeDigitFormat = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** Formats a duration: "850 ms", "1.2 s", "3 min", "2 h 5 min", "4 d 3 h". */
export function formatDuration(durationMs: number): string {
  if (!Number.isFinite(durationMs)) return '–';
  if (durationMs < 0) return `−${formatDuration(-durationMs)}`;
  if (durationMs < secondMs) return formatUnit(Math.round(durationMs), 'ms');
  if (durationMs < 9950) return formatUnit((durationMs / secondMs).toFixed(1), 's');
  if (durationMs < 59_500) return formatUnit(Math.round(durationMs / secondMs), 's');
  const minutes = Math.round(durationMs / minuteMs);
  if (minutes < 10) return formatTwoUnits(Math.round(durationMs / secondMs), 60, 'min', 's');
  if (minutes < 60) return formatUnit(minutes, 'min');
  if (minutes < 24 * 60) return formatTwoUnits(minutes, 60, 'h', 'min');
  return formatTwoUnits(Math.round(minutes / 60), 24, 'd', 'h');
}

function formatTwoUnits(count: number, unitsPerLarge: number, large: string, small: string): string {
  const rest = count % unitsPerLarge;
  const whole = formatUnit(formatCount(Math.floor(count / unitsPerLarge)), large);
  return rest === 0 ? whole : `${whole} ${formatUnit(rest, small)}`;
}

/** Formats the exact duration for tooltips: "1,234 ms". */
export function formatExactMs(durationMs: number): string {
  return formatUnit(formatCount(durationMs), 'ms');
}

/**
 * Formats the time of a statement, which may be far below a millisecond, with three significant
 * digits: "0 s", "0.92 µs", "31.8 µs", "12.3 ms", "1.23 s", "1,235 s".
 */
export function formatStatementTime(durationMs: number): string {
  const rounded = Number(durationMs.toPrecision(3));
  if (rounded === 0) return formatUnit(0, 's');
  if (rounded < 1) return formatUnit(threeDigitFormat.format(rounded * 1000), 'µs');
  if (rounded < secondMs) return formatUnit(threeDigitFormat.format(rounded), 'ms');
  return formatSeconds(durationMs);
}

/** Formats milliseconds as seconds with three significant digits: "0.0000318 s", "1,235 s". */
export function formatSeconds(durationMs: number): string {
  const seconds = durationMs / secondMs;
  return formatUnit(seconds < 1000 ? threeDigitFormat.format(seconds) : formatCount(Math.round(seconds)), 's');
}

const exactFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 12 });

/** Formats milliseconds as seconds with all digits, for tooltips: "0.0000318 s". */
export function formatExactSeconds(durationMs: number): string {
  return formatUnit(exactFormat.format(durationMs / secondMs), 's');
}

/** Formats a countdown: '4:59', down to '0:00'. */
export function formatCountdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
