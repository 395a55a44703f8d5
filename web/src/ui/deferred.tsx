import { type ReactNode, useDeferredValue } from 'react';

/**
 * Renders its children after the rest of the page, a few at a time. So the page appears, and
 * responds, before an expensive part of it is drawn.
 */
export function Deferred({ children }: { children: ReactNode }) {
  return useDeferredValue(true, false) ? children : null;
}
