import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Dialog, DialogForm } from './dialog.tsx';
import { useFocusAfterRemoval } from './use-focus-after-removal.ts';

export interface ConfirmModalProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  readonly danger?: boolean;
  /** Must be typed exactly before the user can confirm. */
  readonly confirmWord?: string;
  /** false while something else must be chosen first; defaults to true */
  readonly isReady?: boolean;
  readonly onConfirm: () => void;
  /** true while the confirmed action is running */
  readonly pending?: boolean;
  /** Makes room for a table. */
  readonly isWide?: boolean;
  readonly children?: ReactNode;
}

/** Asks for confirmation. Never puts the initial focus on a destructive button. */
export function ConfirmModal(props: ConfirmModalProps) {
  useFocusAfterRemoval(props.opened);
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={props.title}
      size={props.isWide ? 'lg' : 'md'}
      centered
    >
      <ConfirmForm {...props} />
    </Dialog>
  );
}

function ConfirmForm(props: ConfirmModalProps) {
  const [word, setWord] = useState('');
  const isTyped = props.confirmWord === undefined || word === props.confirmWord;
  return (
    <DialogForm
      onSubmit={props.onConfirm}
      onClose={props.onClose}
      submitLabel={props.confirmLabel}
      closeLabel={props.cancelLabel}
      canSubmit={isTyped && (props.isReady ?? true)}
      pending={props.pending}
      danger={props.danger}
      className="stack-l"
    >
      {props.children}
      {props.confirmWord !== undefined && (
        <TextInput
          data-autofocus
          label={`Type ${props.confirmWord} to confirm`}
          value={word}
          onChange={(event) => setWord(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </DialogForm>
  );
}
