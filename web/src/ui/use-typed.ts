import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/**
 * The text of a field whose value lives elsewhere: it shows at once what is typed and hands it on
 * when the typing rests for `restMs` (null: never by itself), or by `commit`. A value that changes
 * by itself (a link, the back button) wins over what was typed.
 */
export function useTyped(value: string, onChange: (value: string) => void, restMs: number | null) {
  const [text, setText] = useState(value);
  const known = useRef(value);
  if (known.current !== value) {
    known.current = value;
    setText(value);
  }
  const commit = (next = text) => {
    if (next === known.current) return;
    known.current = next;
    setText(next);
    onChange(next);
  };
  const latest = useRef(commit);
  latest.current = commit;
  const router = useRouter();
  useEffect(() => {
    if (restMs === null || text === known.current) return;
    const { pathname } = router.latestLocation;
    const timer = setTimeout(() => {
      // This page is still shown while the next one is fetched, but the address is the next one's
      // already.
      if (router.latestLocation.pathname === pathname) latest.current();
    }, restMs);
    return () => clearTimeout(timer);
  }, [text, restMs, router]);
  return { text, setText, commit };
}
