import type { Attention } from '@portal/contract/attention';
import type { Action } from '@portal/contract/session';
import type { Caller } from '../../session/caller.ts';

export interface Looked {
  readonly items: readonly Attention[];
  /** What could not be looked at, in sentences. */
  readonly problems: readonly string[];
}

/** A part of the environment in which something may need attention. */
export interface AttentionSource {
  /** Who may not do this is not shown the part. */
  readonly action: Action;
  /** What it looks at, for sentences: 'the configuration of apps'. */
  readonly subject: string;
  /** Answers what it has by the time the signal ends it. */
  look(caller: Caller, signal: AbortSignal): Promise<Looked>;
}
