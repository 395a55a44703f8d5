import { Button } from '@mantine/core';
import { IconArrowBackUp, IconEraser, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import type { LogStream, StreamSnapshot } from './log-stream.ts';

/** Play, Stop and Clear with the specified rules, and Undo clear. */
export function LogActions({ stream, snapshot }: { stream: LogStream | null; snapshot: StreamSnapshot | null }) {
  const phase = snapshot?.phase ?? 'closed';
  // While the page waits to reconnect, Play reconnects immediately.
  const isOpen = phase === 'streaming' || phase === 'opening';
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={15} stroke={1.7} aria-hidden />}
        disabled={stream === null || isOpen}
        onClick={() => stream?.play()}
      >
        Play
      </Button>
      <Button
        variant="default"
        leftSection={<IconPlayerStop size={15} stroke={1.7} aria-hidden />}
        disabled={stream === null || phase === 'closed'}
        onClick={() => stream?.stop()}
      >
        Stop
      </Button>
      <Button
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
          onClick={() => stream?.view.undoClear()}
        >
          Undo clear
        </Button>
      )}
    </>
  );
}
