import { useEffect, useState } from 'react';

/** Longer than the time between two keys of someone who types. */
const pauseMs = 800;

/** Returns the text as it was when it last stood still, for announcements that wait for a pause. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
