import type { Change } from '@portal/contract/app-config';
import { IconArrowBackUp } from '@tabler/icons-react';
import { ActButton } from '../../ui/act-button.tsx';

/** Reverts the last change made in this session to this app, and says which one that is. */
export function UndoButton(props: {
  undoable: Change | null;
  reason: string | null;
  pending: boolean;
  onUndo: () => void;
}) {
  const nothing = props.undoable === null ? 'You have changed nothing here in this session.' : null;
  return (
    <ActButton
      variant="default"
      leftSection={<IconArrowBackUp size={16} stroke={1.6} aria-hidden />}
      reason={props.reason ?? nothing}
      hint={props.undoable && `Reverts: ${props.undoable.description}`}
      loading={props.pending}
      onClick={props.onUndo}
    >
      Undo
    </ActButton>
  );
}
