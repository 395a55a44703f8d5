import { Button, Modal, TextInput } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { type FormEvent, type ReactNode, useState } from 'react';
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
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={props.title}
      size={props.isWide ? 'lg' : 'md'}
      centered
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {/* Inside the modal, so that each opening starts with an empty word. */}
      <ConfirmForm {...props} />
    </Modal>
  );
}

function ConfirmForm(props: ConfirmModalProps) {
  const [word, setWord] = useState('');
  const canConfirm = (props.confirmWord === undefined || word === props.confirmWord) && (props.isReady ?? true);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canConfirm && !props.pending) props.onConfirm();
  };
  return (
    <form onSubmit={submit} className="stack-l">
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
      <div className="buttons">
        <Button
          variant="default"
          onClick={props.onClose}
          data-autofocus={(props.danger && props.confirmWord === undefined) || undefined}
        >
          {props.cancelLabel ?? 'Close'}
        </Button>
        <Button
          type="submit"
          {...(props.danger && { color: 'red' })}
          disabled={!canConfirm}
          loading={props.pending ?? false}
        >
          {props.confirmLabel}
        </Button>
      </div>
    </form>
  );
}
