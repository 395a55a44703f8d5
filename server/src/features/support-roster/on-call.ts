import { byStart, type Shift, type Span } from '@portal/platforms/roster/roster-source';

/** The time for which a person is on support without a break, over as many shifts as that takes. */
export interface Spell extends Span {
  readonly personId: string;
  readonly name: string;
}

export interface OnCallAt {
  /** Those whose spell it is, in the order they began. */
  readonly now: readonly Spell[];
  /** The next to begin within a year. */
  readonly next: Spell | null;
  /** What nobody covers of the next 30 days. */
  readonly gaps: readonly Span[];
}

const dayMs = 86_400_000;
const nextWithinMs = 366 * dayMs;
const gapsWithinMs = 30 * dayMs;

/** The shifts of this time are all that `onCallAt` asks about. */
export function spanOfInterest(now: Date): Span {
  return { from: now, to: new Date(now.getTime() + nextWithinMs) };
}

/**
 * Who is on support at that moment, who is next, and when nobody is: the one answer to these
 * questions.
 */
export function onCallAt(shifts: readonly Shift[], now: Date): OnCallAt {
  const spells = spellsOf(shifts);
  const latest = now.getTime() + nextWithinMs;
  return {
    now: spells.filter(({ from, to }) => from <= now && to > now),
    next: spells.find(({ from }) => from > now && from.getTime() <= latest) ?? null,
    gaps: gapsIn(shifts, { from: now, to: new Date(now.getTime() + gapsWithinMs) }),
  };
}

/** Earliest first. Shifts of one person that touch or overlap are one spell. */
export function spellsOf(shifts: readonly Shift[]): Spell[] {
  const spells: Spell[] = [];
  const lastOf = new Map<string, number>();
  for (const { personId, name, start, end } of [...shifts].sort(byStart)) {
    const index = lastOf.get(personId);
    const last = index === undefined ? undefined : spells[index];
    if (index !== undefined && last && start <= last.to) {
      if (end > last.to) spells[index] = { ...last, to: end };
    } else {
      lastOf.set(personId, spells.push({ personId, name, from: start, to: end }) - 1);
    }
  }
  return spells;
}

/** The parts of a span that no shift covers, earliest first. */
export function gapsIn(shifts: readonly Shift[], { from, to }: Span): Span[] {
  const gaps: Span[] = [];
  let covered = from;
  for (const { start, end } of [...shifts].sort(byStart)) {
    if (start >= to) break;
    if (start > covered) gaps.push({ from: covered, to: start });
    if (end > covered) covered = end;
  }
  if (covered < to) gaps.push({ from: covered, to });
  return gaps;
}
