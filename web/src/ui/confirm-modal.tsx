import { Button, Modal, TextInput } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { type FormEvent, type ReactNode, useState } from 'react';

export interface ConfirmModalProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  readonly danger?: boolean;
  /** Must be typed exactly before one may confirm. */
  readonly confirmWord?: string;
  /** false while something else must be chosen first; true unless said otherwise */
  readonly isReady?: boolean;
  readonly onConfirm: () => void;
  /** While what was confirmed is under way. */
  readonly pending?: boolean;
  /** Where a table has to fit in. */
  readonly isWide?: boolean;
  readonly children?: ReactNode;
}

/** Asks before something happens. What does harm is never where the focus is. */
export function ConfirmModal(props: ConfirmModalProps) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={props.title}
      size={props.isWide ? 'lg' : 'md'}
      centered
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {/* Inside, so that each opening begins with an empty word. */}
      <ConfirmForm {...props} />
    </Modal>
  );
}

function ConfirmForm(props: ConfirmModalProps) {
  const [word, setWord] = useState('');
  const mayConfirm = (props.confirmWord === undefined || word === props.confirmWord) && (props.isReady ?? true);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (mayConfirm && !props.pending) props.onConfirm();
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
          disabled={!mayConfirm}
          loading={props.pending ?? false}
        >
          {props.confirmLabel}
        </Button>
      </div>
    </form>
  );
}
