import { useEffect, useState } from 'react';

const pauseMs = 700;

/**
 * Returns the text as it was when it last stayed the same for a moment, so that what follows from
 * typing is not announced with every key.
 */
export function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    if (text === paused) return;
    const timer = setTimeout(() => setPaused(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, paused]);
  return paused;
}
