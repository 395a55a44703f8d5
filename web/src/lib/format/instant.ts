const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** "just now", "3 min ago", "in 2 h", "yesterday", and the date beyond a week. */
export function formatRelative(atMs: number, nowMs: number): string {
  const awayMs = atMs - nowMs;
  const size = Math.abs(awayMs);
  if (size < 45_000) return awayMs > 5000 ? 'in under a minute' : 'just now';
  if (size < 55 * minuteMs) return around(awayMs, Math.max(1, Math.round(size / minuteMs)), 'min');
  if (size < 22 * hourMs) return around(awayMs, Math.max(1, Math.round(size / hourMs)), 'h');
  if (size < 7 * dayMs) {
    const days = Math.max(1, Math.round(size / dayMs));
    if (days === 1) return awayMs < 0 ? 'yesterday' : 'tomorrow';
    return around(awayMs, days, 'days');
  }
  return formatInstant(new Date(atMs), false).slice(0, 10);
}

function around(awayMs: number, count: number, unit: string): string {
  return awayMs < 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`;
}

/** "2026-11-21 07:37:01 UTC", or in local time with its distance from UTC. */
export function formatInstant(instant: Date, inUtc: boolean): string {
  if (inUtc) return `${instant.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const offsetMins = -instant.getTimezoneOffset();
  const shifted = new Date(instant.getTime() + offsetMins * minuteMs);
  const hours = String(Math.floor(Math.abs(offsetMins) / 60)).padStart(2, '0');
  const minutes = String(Math.abs(offsetMins) % 60).padStart(2, '0');
  return `${shifted.toISOString().slice(0, 19).replace('T', ' ')} ${offsetMins < 0 ? '−' : '+'}${hours}:${minutes}`;
}
