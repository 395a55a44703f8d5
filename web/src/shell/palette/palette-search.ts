import { useEffect } from 'react';
import { createStore } from '../../state/store.ts';

/** What was typed into the palette since it was opened. */
export const paletteSearch = createStore('');

/**
 * Gives the palette every key from the moment it opens, also while it is still loading, so that
 * none is lost or acts on the page.
 */
export function usePaletteKeys(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isPaletteField(event.target)) return;
      const text = paletteSearch.get();
      if (event.key.length === 1) paletteSearch.set(text + event.key);
      else if (event.key === 'Backspace') paletteSearch.set(text.slice(0, -1));
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => {
      window.removeEventListener('keydown', onKeyDown, { capture: true });
      paletteSearch.set('');
    };
  }, [isOpen]);
}

function isPaletteField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.dataset.paletteField !== undefined;
}
