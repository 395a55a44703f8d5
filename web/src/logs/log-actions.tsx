import { Button } from '@mantine/core';
import { IconArrowBackUp, IconEraser, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useLayoutEffect, useRef } from 'react';
import { describeLogState } from './log-state.ts';
import type { LogStream, StreamSnapshot } from './log-stream.ts';

/** Play, Stop and Clear with the specified rules, and Undo clear. */
export function LogActions({ stream, snapshot }: { stream: LogStream | null; snapshot: StreamSnapshot | null }) {
  const { canPlay, canStop } = describeLogState(snapshot);
  const play = useRef<HTMLButtonElement>(null);
  const stop = useRef<HTMLButtonElement>(null);
  const clear = useRef<HTMLButtonElement>(null);
  // A disabled button loses the focus to nowhere, so it moves to the counterpart first.
  useLayoutEffect(() => {
    if (!canPlay && document.activeElement === play.current) stop.current?.focus();
    if (!canStop && document.activeElement === stop.current) play.current?.focus();
  }, [canPlay, canStop]);
  return (
    <>
      <Button
        ref={play}
        variant="default"
        leftSection={<IconPlayerPlay size={15} stroke={1.7} aria-hidden />}
        disabled={!canPlay}
        onClick={() => stream?.play()}
      >
        Play
      </Button>
      <Button
        ref={stop}
        variant="default"
        leftSection={<IconPlayerStop size={15} stroke={1.7} aria-hidden />}
        disabled={!canStop}
        onClick={() => stream?.stop()}
      >
        Stop
      </Button>
      <Button
        ref={clear}
        variant="default"
        leftSection={<IconEraser size={15} stroke={1.7} aria-hidden />}
        disabled={stream === null}
        title="Clear (c)"
        onClick={() => stream?.view.clear()}
      >
        Clear
      </Button>
      {snapshot?.canUndoClear && (
        <Button
          variant="default"
          leftSection={<IconArrowBackUp size={15} stroke={1.7} aria-hidden />}
          onClick={() => {
            clear.current?.focus();
            stream?.view.undoClear();
          }}
        >
          Undo clear
        </Button>
      )}
    </>
  );
}
