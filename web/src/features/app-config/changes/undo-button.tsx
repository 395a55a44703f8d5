import type { Change } from '@portal/contract/app-config';
import { IconArrowBackUp } from '@tabler/icons-react';
import { ExplainedButton } from '../../../ui/explained-button.tsx';

/** Reverts the last change of this session to this app, and shows which one that is. */
export function UndoButton(props: {
  undoable: Change | null;
  reason: string | null;
  pending: boolean;
  onUndo: () => void;
}) {
  const noChangeReason = props.undoable === null ? 'You have not changed this app in this session.' : null;
  return (
    <ExplainedButton
      variant="default"
      leftSection={<IconArrowBackUp size={16} stroke={1.6} aria-hidden />}
      reason={props.reason ?? noChangeReason}
      hint={props.undoable && `Reverts: ${props.undoable.description}`}
      loading={props.pending}
      onClick={props.onUndo}
    >
      Undo
    </ExplainedButton>
  );
}
