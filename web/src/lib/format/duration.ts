/** A length of time as people say it: "850 ms", "1.2 s", "3 min", "2 h 5 min", "4 d 3 h". */
export function formatDuration(durationMs: number): string {
  if (!Number.isFinite(durationMs)) return '–';
  if (durationMs < 0) return `−${formatDuration(-durationMs)}`;
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 9950) return `${(durationMs / 1000).toFixed(1)} s`;
  if (durationMs < 59_500) return `${Math.round(durationMs / 1000)} s`;
  const minutes = Math.round(durationMs / 60_000);
  if (minutes < 10) return inTwo(Math.round(durationMs / 1000), 60, 'min', 's');
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return inTwo(minutes, 60, 'h', 'min');
  return inTwo(Math.round(minutes / 60), 24, 'd', 'h');
}

function inTwo(count: number, per: number, large: string, small: string): string {
  const rest = count % per;
  return `${formatCount(Math.floor(count / per))} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

/** The exact value, for hover: "1,234 ms". */
export function formatExactMs(durationMs: number): string {
  return `${formatCount(durationMs)} ms`;
}

const counts = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

/** Thousands separated. */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** "1 app", "2 apps". */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
