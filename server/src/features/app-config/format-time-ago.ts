const words = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/**
 * Returns "just now", "two minutes ago" or "13 hours ago", or the date and time if more than a day
 * ago.
 */
export function formatTimeAgo(at: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - at.getTime()) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${formatCount(minutes, 'minute')} ago`;
  if (minutes < 24 * 60) return `${formatCount(Math.floor(minutes / 60), 'hour')} ago`;
  return `on ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function formatCount(number: number, unit: string): string {
  return `${words[number] ?? number} ${unit}${number === 1 ? '' : 's'}`;
}
