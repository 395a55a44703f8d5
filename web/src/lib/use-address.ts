import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Address } from './address.ts';

/**
 * The search parameters of the route, and a way to replace them that adds no step to the history.
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
 * One value of the page that belongs in its address (a tab, a filter, a selection), so that a link
 * shows what I see. The fallback is left out of the address; so is anything `isKnown` does not
 * know.
 */
export function useAddressValue<T extends string>(
  name: string,
  fallback: T,
  isKnown: (text: string) => text is T,
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
  return [text !== undefined && isKnown(text) ? text : fallback, set];
}
