import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect } from 'react';
import { useSession } from '../session/use-session.ts';
import { singleKeys } from '../state/single-keys.ts';
import type { Overlay } from './overlay.ts';
import { getScreenKeys } from './screen-keys.ts';
import { getScreens } from './screens.ts';

/** How long a letter may follow `g`. */
const sequenceMs = 1_500;

/** Handles the keys that work on every screen. Escape is handled by the open overlay. */
export function useShellKeys(open: (overlay: Overlay) => void, preloadPalette: () => void): void {
  const { session } = useSession();
  const navigate = useNavigate();
  const environment = session.environment.name;
  // As soon as the shell can be seen: a key that is pressed at once would be lost.
  useLayoutEffect(() => {
    const screens = getScreenKeys(getScreens(environment));
    let sequenceStartMs = Number.NEGATIVE_INFINITY;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Control' || event.key === 'Meta') return preloadPalette();
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        return open('palette');
      }
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      if (!singleKeys.get()) return;
      const isSecond = event.timeStamp - sequenceStartMs < sequenceMs;
      sequenceStartMs = event.key === 'g' && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const target = isSecond ? screens.find(({ letter }) => letter === event.key)?.screen : undefined;
      if (target) {
        event.preventDefault();
        void navigate({ to: target.to });
      } else if (event.key === '?') open('keys');
      else if (event.key === '/') focusSearch(event);
    };
    // Before the keys of a page, which may use the same letters alone, and after those of the
    // palette.
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [open, preloadPalette, navigate, environment]);
}

/** Whether the key belongs to the focused element: a field, or anything in a dialog. */
function isTaken(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input, textarea, select, [role="dialog"], [role="alertdialog"]') !== null)
  );
}

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
}
