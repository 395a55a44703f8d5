import { useEffect } from 'react';

/** What the keys of the page do. `/` goes to the search on every screen. */
export interface LogKeys {
  readonly pauseOrFollow: () => void;
  readonly follow: () => void;
  readonly toStart: () => void;
  readonly next: () => void;
  readonly previous: () => void;
  readonly wrap: () => void;
  readonly clear: () => void;
}

export function useLogKeys(keys: LogKeys): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event)) return;
      const act = actOf(event.key, keys);
      if (act === null) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [keys]);
}

function actOf(key: string, keys: LogKeys): (() => void) | null {
  switch (key) {
    case ' ':
      return keys.pauseOrFollow;
    case 'End':
      return keys.follow;
    case 'Home':
      return keys.toStart;
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

/** The key belongs to what has the focus: a field, a dialog, or Space on a button. */
function isBusy({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('input, textarea, select, [role="dialog"]') !== null) return true;
  return key === ' ' && target.closest('button, a') !== null;
}
