import { useState } from 'react';
import { userSettings } from '../../session/user-settings.ts';

const setting = 'logs.start-on-open';

/** Whether opening the page starts the stream; stored for the user. */
export function useStartsOnOpen(): [boolean, (starts: boolean) => void] {
  const [starts, setStarts] = useState(() => userSettings.get(setting) !== false);
  return [
    starts,
    (next) => {
      setStarts(next);
      userSettings.set(setting, next);
    },
  ];
}
