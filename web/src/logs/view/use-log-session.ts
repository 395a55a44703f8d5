import { logCloseCodes } from '@portal/contract/logs';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { announceSessionEnd } from '../../api/call.ts';
import { getLogCache } from '../stream/log-cache.ts';
import type { LogWire } from '../stream/log-wire.ts';
import { LogStream, type StreamSnapshot } from './log-session.ts';

/**
 * Runs the stream of a wire in the element passed to `setParent`. Returns null until that element
 * exists; stops with the element, and continues where it was left when the log is opened again.
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
  const client = useQueryClient();
  const [initialStartsOnOpen] = useState(startsOnOpen);

  useEffect(() => {
    if (parent === null) return;
    const cache = getLogCache(client);
    const opened = new LogStream({
      wire,
      parent,
      saved: cache.take(wire.key),
      onClosed: (code) => {
        if (code === logCloseCodes.notSignedIn) announceSessionEnd();
      },
    });
    setStream(opened);
    if (initialStartsOnOpen) opened.play();
    return () => {
      setStream(null);
      cache.put(wire.key, opened.dispose());
    };
  }, [wire, parent, client, initialStartsOnOpen]);

  return { stream, snapshot: useSnapshot(stream), setParent };
}

function useSnapshot(stream: LogStream | null): StreamSnapshot | null {
  return useSyncExternalStore(
    useCallback((listener) => stream?.snapshot.subscribe(listener) ?? (() => {}), [stream]),
    () => stream?.snapshot.get() ?? null,
  );
}
