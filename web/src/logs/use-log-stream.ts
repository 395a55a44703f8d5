import { logCloseCodes } from '@portal/contract/logs';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { announceSessionEnd } from '../lib/call.ts';
import { LogStream, type StreamSnapshot } from './log-stream.ts';
import type { LogWire } from './log-wire.ts';

/**
 * Runs the stream of a wire in the element passed to `setParent`. Returns null until that element
 * exists; stops with the element.
 *
 * The specification's Play button opens the stream. Users who open a live log expect it to run,
 * so the page presses Play automatically unless configured otherwise. Play is disabled while
 * streaming either way.
 *
 * @param wire Must be a stable object: a different one is a different log.
 */
export function useLogStream(wire: LogWire, startsOnOpen: boolean) {
  const [parent, setParent] = useState<HTMLElement | null>(null);
  const [stream, setStream] = useState<LogStream | null>(null);
  const [initialStartsOnOpen] = useState(startsOnOpen);

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
    if (initialStartsOnOpen) opened.play();
    return () => {
      setStream(null);
      opened.dispose();
    };
  }, [wire, parent, initialStartsOnOpen]);

  return { stream, snapshot: useSnapshot(stream), setParent };
}

function useSnapshot(stream: LogStream | null): StreamSnapshot | null {
  return useSyncExternalStore(
    useCallback((listener) => stream?.snapshot.subscribe(listener) ?? (() => {}), [stream]),
    () => stream?.snapshot.get() ?? null,
  );
}
