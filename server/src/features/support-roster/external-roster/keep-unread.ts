import { byStart, type Shift, type Span } from '@portal/platforms/roster/roster-source';

/**
 * Adds the shifts that were known of times that could not be read now. A shift that reaches into
 * other times would have been read with them, so it is no longer known.
 */
export function keepUnread(known: readonly Shift[], read: readonly Shift[], unread: readonly Span[]): readonly Shift[] {
  const kept = known.filter(({ start, end }) => unread.some(({ from, to }) => start >= from && end <= to));
  return kept.length === 0 ? read : [...read, ...kept].sort(byStart);
}
