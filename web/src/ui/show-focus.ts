import { useEffect } from 'react';

/**
 * Scrolls an element that receives the focus by Tab fully into view. Browsers do that only if it is
 * out of sight, not if an edge cuts it off or a sticky part covers it.
 */
export function useShownFocus(): void {
  useEffect(() => {
    let isByKey = false;
    const onKeyDown = ({ key }: KeyboardEvent) => {
      isByKey = key === 'Tab';
    };
    // A page that moves under a pointer would make a click hit something else.
    const onPointerDown = () => {
      isByKey = false;
    };
    const onFocus = ({ target }: FocusEvent) => {
      if (isByKey && target instanceof HTMLElement && target.tabIndex >= 0)
        target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    };
    const capture = { capture: true };
    window.addEventListener('keydown', onKeyDown, capture);
    window.addEventListener('pointerdown', onPointerDown, capture);
    window.addEventListener('focusin', onFocus);
    return () => {
      window.removeEventListener('keydown', onKeyDown, capture);
      window.removeEventListener('pointerdown', onPointerDown, capture);
      window.removeEventListener('focusin', onFocus);
    };
  }, []);
}
