import type { Span } from '../roster-source.ts';

const dayMs = 86_400_000;
/**
 * PagerDuty refuses long ranges. A limit of three months may be a few days less than it appears, so
 * 60 days leave a margin.
 */
export const sliceMs = 60 * dayMs;
/** What is shown of who is on call, and its gaps, are in this time. */
const nearMs = 31 * dayMs;

/** A part of time that is read with one call. Slices never overlap, whatever is requested. */
export interface Slice extends Span {
  /** Counts slices since 1970. */
  readonly index: number;
  /** Whether it is about the coming month. */
  readonly isNear: boolean;
  /** Milliseconds between it and the present; 0 if it contains the present. */
  readonly distance: number;
}

/** Lists the slices that have some of the spans, nearest first. */
export function listSlices(spans: readonly Span[], nowMs: number): Slice[] {
  const indexes = new Set<number>();
  for (const { from, to } of spans)
    for (let index = Math.floor(from.getTime() / sliceMs); index * sliceMs < to.getTime(); index++) indexes.add(index);
  return [...indexes]
    .map((index) => {
      const [from, to] = [index * sliceMs, (index + 1) * sliceMs];
      return {
        index,
        from: new Date(from),
        to: new Date(to),
        isNear: from < nowMs + nearMs && to > nowMs,
        distance: Math.max(0, from - nowMs, nowMs - to),
      };
    })
    .sort((one, other) => one.distance - other.distance);
}

/** Divides a span into equal parts of at most this length. */
export function divide({ from, to }: Span, maxMs: number): Span[] {
  const count = Math.max(1, Math.ceil((to.getTime() - from.getTime()) / maxMs));
  const at = (part: number) => new Date(from.getTime() + ((to.getTime() - from.getTime()) * part) / count);
  return Array.from({ length: count }, (_, part) => ({ from: at(part), to: at(part + 1) }));
}

export interface UnreadSpan extends Span {
  /** Why it was not read. */
  readonly problem: string;
}

/** Joins spans that follow each other and have the same reason, earliest first. */
export function joinUnread(unread: readonly UnreadSpan[]): UnreadSpan[] {
  const joined: UnreadSpan[] = [];
  for (const span of [...unread].sort((one, other) => one.from.getTime() - other.from.getTime())) {
    const last = joined.at(-1);
    if (last?.problem === span.problem && last.to >= span.from) joined[joined.length - 1] = { ...last, to: span.to };
    else joined.push(span);
  }
  return joined;
}
