import { useEffect } from 'react';
import { singleKeys } from '../../state/single-keys.ts';

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
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key.length === 1 && !singleKeys.get()) return;
      const action = isForLog(event.target) ? getAction(event.key, keys) : null;
      if (action === null || (event.key === ' ' && isButton(event.target))) return;
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

/**
 * Whether the focus is in the log or on nothing: the page, or its title, which has the focus after
 * a navigation. A key on any other control belongs to that control.
 */
function isForLog(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target === document.body || target.matches('h1') || target.closest('[data-log]') !== null;
}

function isButton(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('button') !== null;
}
