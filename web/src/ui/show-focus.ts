import { useEffect } from 'react';

/**
 * Shows the whole of what gets the focus by Tab. Browsers scroll only to what is out of sight, not
 * to what is cut off at an edge or below a part that sticks to it.
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
