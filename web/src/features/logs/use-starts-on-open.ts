import { useState } from 'react';
import { remembered } from '../../lib/remembered.ts';
import { useSession } from '../../session/use-session.ts';

/** Whether opening the page opens the stream; remembered for the user in this browser. */
export function useStartsOnOpen(): [boolean, (starts: boolean) => void] {
  const { session } = useSession();
  const key = `logs.${session.username}.start-on-open`;
  const [starts, setStarts] = useState(() => remembered.get(key) !== false);
  return [
    starts,
    (next) => {
      setStarts(next);
      remembered.set(key, next);
    },
  ];
}
