import type { SyncIntegration } from '@portal/contract/sync/integration';
import { useState } from 'react';
import type { Overlay } from '../sync-address.ts';

/** The integration shown in a dialog over the list. */
export interface ShownIntegration {
  /** Its current or last known state; it stays while a dialog closes. */
  readonly integration: SyncIntegration | null;
  /** Another user has deleted it since it was shown. */
  readonly isDeleted: boolean;
  /** The address names an integration that is not in the list. */
  readonly isMissing: boolean;
}

export function useShownIntegration(
  overlay: Overlay | null,
  list: readonly SyncIntegration[] | undefined,
): ShownIntegration {
  const [last, setLast] = useState<SyncIntegration | null>(null);
  const current = overlay && list?.find(({ id }) => id === overlay.appId);
  if (current && current !== last) setLast(current);
  const isAbsent = overlay !== null && list !== undefined && !current;
  const isDeleted = isAbsent && last?.id === overlay.appId;
  const isMissing = isAbsent && !isDeleted;
  return { integration: current ?? (isMissing ? null : last), isDeleted, isMissing };
}
