import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { getExpectedValue, type TrackedValue, trackReport, trackValue } from './reported-value.ts';

/**
 * Manages the text of a field whose value is stored elsewhere. Shows typed text immediately and
 * reports it after `delayMs` without typing (null: never automatically), or on `commit`. An
 * external change of the value (a link, the back button) replaces the typed text. A reported value
 * that arrives while the user types does not.
 */
export function useDebouncedInput(value: string, onChange: (value: string) => void, delayMs: number | null) {
  const [text, setText] = useState(value);
  const tracked = useRef<TrackedValue>({ value, reported: [] });
  const seen = trackValue(tracked.current, value);
  tracked.current = seen.tracked;
  if (seen.isExternal) setText(value);
  const commit = (next = text) => {
    if (next === getExpectedValue(tracked.current)) return;
    tracked.current = trackReport(tracked.current, next);
    setText(next);
    onChange(next);
  };
  const latest = useRef(commit);
  latest.current = commit;
  const router = useRouter();
  useEffect(() => {
    if (delayMs === null || text === getExpectedValue(tracked.current)) return;
    const { pathname } = router.latestLocation;
    const timer = setTimeout(() => {
      // This page stays visible while the next one loads, but the address already belongs to the
      // next one.
      if (router.latestLocation.pathname === pathname) latest.current();
    }, delayMs);
    return () => clearTimeout(timer);
  }, [text, delayMs, router]);
  return { text, setText, commit };
}
