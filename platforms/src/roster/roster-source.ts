/**
 * Somebody's turn, whole: from when to when, also where a question reaches only into a part of it.
 */
export interface Shift {
  /** The same for all shifts of a person in a team. */
  readonly personId: string;
  readonly name: string;
  readonly start: Date;
  readonly end: Date;
}

/** `to` is not part of it. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

export interface RosterReading {
  /** For each span that was asked for, the shifts that touch it, earliest first. */
  readonly shifts: readonly (readonly Shift[])[];
  /** Telephone numbers by person, where the source itself knows them. */
  readonly numbers: ReadonlyMap<string, string>;
}

/** Where the roster of a team comes from. */
export interface RosterSource {
  /** In words for people. */
  readonly kind: 'calendar' | 'PagerDuty';
  /**
   * Throws Unreachable with a sentence for people; AskedToWait when it is to be left alone for a
   * while.
   */
  read(spans: readonly Span[]): Promise<RosterReading>;
}

export function touches({ start, end }: Pick<Shift, 'start' | 'end'>, { from, to }: Span): boolean {
  return start < to && end > from;
}

/** For sorting: earliest first, those of the same moment by name. */
export function byStart(one: Shift, other: Shift): number {
  return one.start.getTime() - other.start.getTime() || one.name.localeCompare(other.name);
}
