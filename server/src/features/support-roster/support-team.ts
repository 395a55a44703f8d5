import type { Shift, Span } from '@portal/platforms/roster/roster-source';

export interface TeamReading {
  /** Complete shifts that overlap the span, earliest first. */
  readonly shifts: readonly Shift[];
  /** By person, if the source provides them. */
  readonly numbers: ReadonlyMap<string, string>;
  readonly readAt: Date;
  /** Why the source could not be read again; null if it could. */
  readonly problem: string | null;
  /** What may be missing or wrong, and what was left out on purpose, in sentences for people. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Reads a team's roster in an environment, from any source.
 */
export interface SupportTeam {
  readonly name: string;
  readonly environment: string;
  readonly kind: 'calendar' | 'PagerDuty' | 'portal';
  /** Throws Unreachable if the source is unreachable and was never read. */
  read(span: Span): Promise<TeamReading>;
}
