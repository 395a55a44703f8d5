import type { Action } from '@portal/contract/actions';
import type { Attention } from '@portal/contract/attention';
import type { Caller } from '../../session/caller.ts';

export interface AttentionResult {
  readonly items: readonly Attention[];
  /** Sentences about what could not be checked. */
  readonly problems: readonly string[];
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
  check(caller: Caller, signal: AbortSignal): Promise<AttentionResult>;
}
