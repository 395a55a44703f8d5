import { ActionIcon, Button } from '@mantine/core';
import { IconArrowBackUp, IconEraser, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { type Ref, useLayoutEffect, useRef } from 'react';
import { describeLogState } from '../stream/log-state.ts';
import type { LogStream, StreamSnapshot } from './log-session.ts';
import { useIsNarrow } from './use-is-narrow.ts';

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
  const undoClear = () => {
    clear.current?.focus();
    stream?.view.undoClear();
  };
  return (
    <>
      <Action ref={play} label="Play" icon={IconPlayerPlay} isEnabled={canPlay} onClick={() => stream?.play()} />
      <Action ref={stop} label="Stop" icon={IconPlayerStop} isEnabled={canStop} onClick={() => stream?.stop()} />
      <Action
        ref={clear}
        label="Clear"
        title="Clear (c)"
        icon={IconEraser}
        isEnabled={stream !== null}
        onClick={() => stream?.view.clear()}
      />
      {snapshot?.canUndoClear && <Action label="Undo clear" icon={IconArrowBackUp} isEnabled onClick={undoClear} />}
    </>
  );
}

/** A button; narrow windows show only its icon. */
function Action(props: {
  ref?: Ref<HTMLButtonElement>;
  label: string;
  title?: string;
  icon: typeof IconEraser;
  isEnabled: boolean;
  onClick: () => void;
}) {
  const { ref, label, title = label, icon: Icon, isEnabled, onClick } = props;
  const icon = <Icon size={15} stroke={1.7} aria-hidden />;
  const shared = { ref, title, variant: 'default', disabled: !isEnabled, onClick } as const;
  return useIsNarrow() ? (
    <ActionIcon {...shared} size={32} aria-label={label}>
      {icon}
    </ActionIcon>
  ) : (
    <Button {...shared} leftSection={icon}>
      {label}
    </Button>
  );
}
