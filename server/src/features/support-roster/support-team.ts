import type { Shift, Span } from '@portal/platforms/roster/roster-source';

export interface TeamReading {
  /** Those that touch the span, whole, earliest first. */
  readonly shifts: readonly Shift[];
  /** By person, where the source knows them. */
  readonly numbers: ReadonlyMap<string, string>;
  readonly readAt: Date;
  /** Why it could not be read anew; null when it could. */
  readonly problem: string | null;
}

/** A support team of an environment, wherever its roster comes from. */
export interface SupportTeam {
  readonly name: string;
  readonly environment: string;
  readonly kind: 'calendar' | 'PagerDuty' | 'portal';
  /** Throws Unreachable where the source is away and was never read. */
  read(span: Span): Promise<TeamReading>;
}
