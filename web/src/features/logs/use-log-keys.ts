import { useEffect } from 'react';

/** The keyboard shortcuts of the page. `/` focuses the search on every screen. */
export interface LogKeys {
  readonly pauseOrFollow: () => void;
  readonly follow: () => void;
  readonly scrollToStart: () => void;
  readonly next: () => void;
  readonly previous: () => void;
  readonly wrap: () => void;
  readonly clear: () => void;
}

export function useLogKeys(keys: LogKeys): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event)) return;
      const action = getAction(event.key, keys);
      if (action === null) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [keys]);
}

function getAction(key: string, keys: LogKeys): (() => void) | null {
  switch (key) {
    case ' ':
      return keys.pauseOrFollow;
    case 'End':
      return keys.follow;
    case 'Home':
      return keys.scrollToStart;
    case 'n':
      return keys.next;
    case 'N':
      return keys.previous;
    case 'w':
      return keys.wrap;
    case 'c':
      return keys.clear;
    default:
      return null;
  }
}

/** Whether the key belongs to the focused element: a field, a dialog, or Space on a button. */
function isBusy({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('input, textarea, select, [role="dialog"]') !== null) return true;
  return key === ' ' && target.closest('button, a') !== null;
}
