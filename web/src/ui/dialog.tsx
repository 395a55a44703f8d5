import { Button, Modal, type ModalProps } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import type { ReactNode, RefObject } from 'react';

const closeButton = { 'aria-label': 'Close dialog' };

/**
 * The frame of every dialog: title, close button and body. The body is created with each opening,
 * so a form inside starts with fresh values. `useDialogLayers` has the rules of focus and Escape.
 */
export function Dialog(props: ModalProps) {
  return <Modal closeButtonProps={closeButton} {...props} />;
}

interface DialogFormProps {
  /** Called unless `canSubmit` is false or `pending` is true. */
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly submitLabel: string;
  readonly closeLabel?: string | undefined;
  /** false while something else must be entered first; defaults to true */
  readonly canSubmit?: boolean | undefined;
  /** true while what was submitted is being saved */
  readonly pending?: boolean | undefined;
  /** Marks the button, and puts the initial focus on the one that closes, unless a field has it. */
  readonly danger?: boolean | undefined;
  /** Buttons between those that close and submit. */
  readonly moreButtons?: ReactNode;
  readonly className?: string;
  readonly ref?: RefObject<HTMLFormElement | null>;
  readonly children: ReactNode;
}

/** The form of a dialog, which validates its fields itself, with the buttons below them. */
export function DialogForm({ canSubmit = true, pending = false, ...props }: DialogFormProps) {
  return (
    <form
      ref={props.ref}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSubmit && !pending) props.onSubmit();
      }}
      className={props.className ?? 'stack'}
      noValidate
    >
      {props.children}
      <div className="buttons">
        <Button variant="default" onClick={props.onClose} data-autofocus={props.danger || undefined}>
          {props.closeLabel ?? 'Close'}
        </Button>
        {props.moreButtons}
        <Button type="submit" {...(props.danger && { color: 'red' })} disabled={!canSubmit} loading={pending}>
          {props.submitLabel}
        </Button>
      </div>
    </form>
  );
}
