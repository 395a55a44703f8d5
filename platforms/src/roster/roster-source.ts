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
  /** What may be missing or wrong, in sentences for people. */
  readonly warnings: readonly string[];
  /** What was left out on purpose, in sentences for people. */
  readonly notes: readonly string[];
  /** Times whose shifts were not read; a warning reports each. Default: none. */
  readonly unread?: readonly Span[];
}

/** Reads a team's roster from another system. */
export interface RosterSource {
  /** A readable name. */
  readonly kind: 'calendar' | 'PagerDuty';
  /**
   * Throws Unreachable with a readable message, or RetryLater when the source asked for a pause.
   *
   * @param onProgress called with what is known when the nearest shifts have been read, by sources
   *   that need several calls
   */
  read(spans: readonly Span[], onProgress?: (reading: RosterReading) => void): Promise<RosterReading>;
}

export function overlaps({ start, end }: Pick<Shift, 'start' | 'end'>, { from, to }: Span): boolean {
  return start < to && end > from;
}

/** Sorts by start, then by name. */
export function byStart(one: Shift, other: Shift): number {
  return one.start.getTime() - other.start.getTime() || one.name.localeCompare(other.name);
}
