import { logCloseCodes } from '@portal/contract/logs';
import { useEffect, useState } from 'react';
import { announceSessionEnd } from '../../lib/call.ts';
import { remembered } from '../../lib/remembered.ts';
import { useSession } from '../../session/use-session.ts';
import { LogStream } from './log-stream.ts';

/**
 * The stream of an app in the element that `setParent` is given; null until it is there. It ends with the page.
 *
 * The specification's Play button opens the stream. A person who opens a live log expects it to run, so the page
 * presses Play by itself unless this user has switched that off; Play is disabled while streaming either way.
 */
export function useLogStream(appId: string, startsOnOpen: boolean) {
  const { session } = useSession();
  const { baseUrl } = session.environment;
  const [parent, setParent] = useState<HTMLElement | null>(null);
  const [stream, setStream] = useState<LogStream | null>(null);
  const [startsAtFirst] = useState(startsOnOpen);

  useEffect(() => {
    if (parent === null) return;
    const opened = new LogStream({
      appId,
      baseUrl,
      parent,
      onClosed: (code) => {
        if (code === logCloseCodes.notSignedIn) announceSessionEnd();
      },
    });
    setStream(opened);
    if (startsAtFirst) opened.play();
    return () => {
      setStream(null);
      opened.dispose();
    };
  }, [appId, baseUrl, parent, startsAtFirst]);

  return { stream, setParent };
}

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
