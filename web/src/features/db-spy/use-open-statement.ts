import type { StatRow } from '@portal/contract/db-spy';
import { useCallback } from 'react';
import { useAddress } from '../../state/use-address.ts';
import { withValues } from './stats-address.ts';

export interface OpenStatement {
  /** The id of the statement whose details are open, if it is among the rows. */
  readonly id: string | null;
  readonly open: (id: string) => void;
  readonly close: () => void;
}

/** Keeps the open statement in the address, so that a link opens it. */
export function useOpenStatement(rows: readonly StatRow[] | undefined): OpenStatement {
  const [address, change] = useAddress();
  const requested = address.open;
  const open = useCallback((id: string) => change((current) => withValues(current, { open: id })), [change]);
  const close = useCallback(() => change((current) => withValues(current, { open: '' })), [change]);
  return { id: rows?.some(({ id }) => id === requested) ? (requested ?? null) : null, open, close };
}
