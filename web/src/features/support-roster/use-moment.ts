import { useCallback } from 'react';
import { useAddress } from '../../state/use-address.ts';

const parameter = 'at';

/**
 * Keeps the moment at which someone is on call in the address, so that a link shows the same; null
 * for now.
 */
export function useMoment(): [Date | null, (at: Date | null) => void] {
  const [{ [parameter]: text = '' }, change] = useAddress();
  const at = new Date(text);
  const set = useCallback(
    (next: Date | null) =>
      change(({ [parameter]: _, ...rest }) => (next === null ? rest : { ...rest, [parameter]: next.toISOString() })),
    [change],
  );
  return [Number.isNaN(at.getTime()) ? null : at, set];
}
