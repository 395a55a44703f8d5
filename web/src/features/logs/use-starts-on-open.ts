import { useState } from 'react';
import { browserStorage } from '../../lib/browser-storage.ts';
import { useSession } from '../../session/use-session.ts';

/** Whether opening the page starts the stream; stored per user in this browser. */
export function useStartsOnOpen(): [boolean, (starts: boolean) => void] {
  const { session } = useSession();
  const key = `logs.${session.username}.start-on-open`;
  const [starts, setStarts] = useState(() => browserStorage.get(key) !== false);
  return [
    starts,
    (next) => {
      setStarts(next);
      browserStorage.set(key, next);
    },
  ];
}
