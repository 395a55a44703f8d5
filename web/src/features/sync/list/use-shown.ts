import type { SyncIntegration } from '@portal/contract/sync-integration';
import { useState } from 'react';
import type { Overlay } from '../sync-address.ts';

/** The integration that is looked at over the list. */
export interface Shown {
  /** As it is now, or was last; kept while a dialog closes. */
  readonly integration: SyncIntegration | null;
  /** It was there, and somebody has deleted it since. */
  readonly isGone: boolean;
  /** The address names one that is not in the list. */
  readonly isMissing: boolean;
}

export function useShown(overlay: Overlay | null, list: readonly SyncIntegration[] | undefined): Shown {
  const [last, setLast] = useState<SyncIntegration | null>(null);
  const now = overlay && list?.find(({ id }) => id === overlay.appId);
  if (now && now !== last) setLast(now);
  const isAway = overlay !== null && list !== undefined && !now;
  const isGone = isAway && last?.id === overlay.appId;
  const isMissing = isAway && !isGone;
  return { integration: now ?? (isMissing ? null : last), isGone, isMissing };
}
