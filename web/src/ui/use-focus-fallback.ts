import { type RefObject, useLayoutEffect } from 'react';

/**
 * Moves the focus to the surrounding part of the page if the element is removed while it has the
 * focus, such as an error with its retry button once the retry succeeds.
 */
export function useFocusFallback(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = ref.current;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      const surroundings = findSurroundings(element);
      // The element is removed after this function.
      queueMicrotask(() => {
        const target = surroundings.find(({ isConnected }) => isConnected);
        if (!target || document.activeElement !== document.body) return;
        if (!target.hasAttribute('tabindex')) target.tabIndex = -1;
        target.focus({ preventScroll: true });
      });
    };
  }, [ref]);
}

const parts = 'section, [role="tabpanel"], [role="dialog"], main';

/** Returns the parts of the page around an element, the closest first. */
function findSurroundings(element: HTMLElement): HTMLElement[] {
  const part = element.parentElement?.closest<HTMLElement>(parts);
  return part ? [part, ...findSurroundings(part)] : [];
}
