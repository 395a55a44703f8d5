/** A person's shift, unclipped: from start to end, even if a request covers only part of it. */
export interface Shift {
  /** The same for all shifts of a person in a team. */
  readonly personId: string;
  readonly name: string;
  readonly start: Date;
  readonly end: Date;
}

/** `to` is exclusive. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

export interface RosterReading {
  /** For each requested span, the shifts that overlap it, earliest first. */
  readonly shifts: readonly (readonly Shift[])[];
  /** Phone numbers by person, where the source knows them. */
  readonly numbers: ReadonlyMap<string, string>;
  /** Sentences about what was skipped because it could not be read. */
  readonly warnings?: readonly string[];
}

/** The RosterSource is the component that reads a team's roster from another system. */
export interface RosterSource {
  /** A readable name. */
  readonly kind: 'calendar' | 'PagerDuty';
  /**
   * Throws Unreachable with a readable message, or RetryLater when the source asked for a pause.
   */
  read(spans: readonly Span[]): Promise<RosterReading>;
}

export function overlaps({ start, end }: Pick<Shift, 'start' | 'end'>, { from, to }: Span): boolean {
  return start < to && end > from;
}

/** Sorts by start, then by name. */
export function byStart(one: Shift, other: Shift): number {
  return one.start.getTime() - other.start.getTime() || one.name.localeCompare(other.name);
}
