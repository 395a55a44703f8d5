import { byStart, type Shift, type Span } from '@portal/platforms/roster/roster-source';

/** Whether nothing of a span was read. */
export function isUnread({ from, to }: Span, unread: readonly Span[]): boolean {
  let unreadUntil = from;
  for (const span of [...unread].sort((one, other) => one.from.getTime() - other.from.getTime()))
    if (span.from <= unreadUntil && span.to > unreadUntil) unreadUntil = span.to;
  return unreadUntil >= to;
}

/**
 * Adds the shifts that were known of times that could not be read now. A shift that reaches into
 * other times would have been read with them, so it is no longer known.
 */
export function keepUnread(known: readonly Shift[], read: readonly Shift[], unread: readonly Span[]): readonly Shift[] {
  const kept = known.filter(({ start, end }) => unread.some(({ from, to }) => start >= from && end <= to));
  return kept.length === 0 ? read : [...read, ...kept].sort(byStart);
}
