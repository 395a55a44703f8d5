import { logCloseCodes } from '@portal/contract/logs';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { announceSessionEnd } from '../lib/call.ts';
import { LogStream, type StreamSnapshot } from './log-stream.ts';
import type { LogWire } from './log-wire.ts';

/**
 * The stream of a wire in the element that `setParent` is given; null until it is there. It ends
 * with the element.
 *
 * The specification's Play button opens the stream. A person who opens a live log expects it to
 * run, so the page presses Play by itself unless told otherwise; Play is disabled while streaming
 * either way.
 *
 * @param wire The same object from one drawing to the next: another one is another log.
 */
export function useLogStream(wire: LogWire, startsOnOpen: boolean) {
  const [parent, setParent] = useState<HTMLElement | null>(null);
  const [stream, setStream] = useState<LogStream | null>(null);
  const [startsAtFirst] = useState(startsOnOpen);

  useEffect(() => {
    if (parent === null) return;
    const opened = new LogStream({
      wire,
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
  }, [wire, parent, startsAtFirst]);

  return { stream, snapshot: useSnapshot(stream), setParent };
}

function useSnapshot(stream: LogStream | null): StreamSnapshot | null {
  return useSyncExternalStore(
    useCallback((listener) => stream?.snapshot.subscribe(listener) ?? (() => {}), [stream]),
    () => stream?.snapshot.get() ?? null,
  );
}
