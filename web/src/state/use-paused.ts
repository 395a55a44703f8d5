import { useEffect, useState } from 'react';

/** Longer than the time between two keys of someone who is typing. */
const pauseMs = 800;

/**
 * Returns the text as it was at its last pause, so that what follows from typing is not announced
 * with every key.
 *
 * @param initial returned until the first pause
 */
export function usePaused(text: string, initial = text): string {
  const [paused, setPaused] = useState(initial);
  useEffect(() => {
    if (text === paused) return;
    const timer = setTimeout(() => setPaused(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, paused]);
  return paused;
}
