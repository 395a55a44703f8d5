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
 * "just now", "two minutes ago", "13 hours ago"; the day itself when it is longer ago than a day.
 */
export function howLongAgo(at: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - at.getTime()) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${count(minutes, 'minute')} ago`;
  if (minutes < 24 * 60) return `${count(Math.floor(minutes / 60), 'hour')} ago`;
  return `on ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function count(number: number, unit: string): string {
  return `${words[number] ?? number} ${unit}${number === 1 ? '' : 's'}`;
}
