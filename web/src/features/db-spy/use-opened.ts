import type { StatRow } from '@portal/contract/db-spy';
import { useCallback } from 'react';
import { useAddress } from '../../lib/use-address.ts';
import { withValues } from './stats-address.ts';

export interface Opened {
  /** Of the statement whose details are shown, where it is among the rows. */
  readonly id: string | null;
  readonly open: (id: string) => void;
  readonly close: () => void;
}

/** Which statement is opened stands in the address, so that a link opens it. */
export function useOpened(rows: readonly StatRow[] | undefined): Opened {
  const [address, change] = useAddress();
  const wished = address.open;
  const open = useCallback((id: string) => change((current) => withValues(current, { open: id })), [change]);
  const close = useCallback(() => change((current) => withValues(current, { open: '' })), [change]);
  return { id: rows?.some(({ id }) => id === wished) ? (wished ?? null) : null, open, close };
}
