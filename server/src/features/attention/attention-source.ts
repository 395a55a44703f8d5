import type { Action } from '@portal/contract/actions';
import type { AttentionItem } from '@portal/contract/attention';
import type { Caller } from '../../session/caller.ts';

/** An item, with the app that it is about, if it is about one. */
export type FoundItem = AttentionItem & { readonly appId?: string };

export interface AttentionResult {
  readonly items: readonly FoundItem[];
  /** How many failing functions there are in addition to the items. */
  readonly moreFailing?: number;
  /** Sentences about what could not be checked. */
  readonly problems: readonly string[];
  readonly checks?: ChecksMade;
}

/** The age of what is read in the background. */
interface ChecksMade {
  /** How many checks of apps were never made. */
  readonly missing: number;
  /** How many were made longer ago than is promised. */
  readonly outdated: number;
  /** ISO instant of the oldest check; null if there is none. */
  readonly oldest: string | null;
}

/**
 * The AttentionSource is the component that checks one area of the environment for items that need
 * attention.
 */
export interface AttentionSource {
  /** Users who may not perform this action do not see the area. */
  readonly action: Action;
  /** What it checks, for use in sentences: 'the configuration of apps'. */
  readonly subject: string;
  /** Returns what it has found when the signal aborts. */
  findItems(caller: Caller, signal: AbortSignal): Promise<AttentionResult>;
}

/** Combines what was found in different areas. Each problem is reported once. */
export function mergeResults(results: readonly AttentionResult[]): Required<AttentionResult> {
  const checks = results.flatMap(({ checks }) => checks ?? []);
  const [oldest = null] = checks.flatMap(({ oldest }) => oldest ?? []).sort();
  return {
    items: results.flatMap(({ items }) => items),
    moreFailing: results.reduce((sum, { moreFailing = 0 }) => sum + moreFailing, 0),
    problems: [...new Set(results.flatMap(({ problems }) => problems))],
    checks: {
      missing: checks.reduce((sum, { missing }) => sum + missing, 0),
      outdated: checks.reduce((sum, { outdated }) => sum + outdated, 0),
      oldest,
    },
  };
}
