import { useSyncExternalStore } from 'react';

function follow(listener: () => void): () => void {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
}

/** The width of the window in CSS pixels, followed. */
export function useViewportWidth(): number {
  return useSyncExternalStore(follow, () => window.innerWidth);
}
