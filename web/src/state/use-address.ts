import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Address } from './address.ts';

/**
 * Returns the search parameters of the route and a function that replaces them without a new
 * history entry.
 */
export function useAddress(): [Address, (change: (address: Address) => Address) => void] {
  const address: Address = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (next: (address: Address) => Address) => {
      void navigate({ to: '.', search: (current: Address) => next(current), replace: true, resetScroll: false });
    },
    [navigate],
  );
  return [address, change];
}

/**
 * Keeps one page value (a tab, a filter, a selection) in the address, so that a shared link shows
 * the same view. Omits the fallback from the address and ignores values that `isValid` rejects.
 */
export function useAddressValue<T extends string>(
  name: string,
  fallback: T,
  isValid: (text: string) => text is T,
): [T, (value: T) => void] {
  const [address, change] = useAddress();
  const text = address[name];
  const set = useCallback(
    (value: T) =>
      change((current) => {
        const { [name]: _, ...rest } = current;
        return value === fallback ? rest : { ...rest, [name]: value };
      }),
    [change, name, fallback],
  );
  return [text !== undefined && isValid(text) ? text : fallback, set];
}
