import { Button, Modal, Textarea } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { isProduction } from '@portal/contract/environments';
import { type FormEvent, useEffect, useState } from 'react';
import { titled } from '../../../lib/titled.ts';
import { useSession } from '../../../session/use-session.ts';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import type { AccessResult } from '../grants/access-result.ts';
import { rolledBackActions } from '../rolled-back-actions.ts';
import type { AccessAct } from './access-act.ts';
import { ActionList } from './action-list.tsx';
import { PlanDetails, PlanSkeleton } from './plan-details.tsx';
import { useAccessPlan } from './use-access-plan.ts';
import { WarningList } from './warning-list.tsx';

const mostReasonChars = 1000;

interface PlanModalProps {
  /** What is asked about; kept while the dialog closes. */
  readonly act: AccessAct | null;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onEnd: (result: AccessResult) => void;
}

/** Shows exactly what a grant or a revert would do, and does it once that has been read. */
export function PlanModal({ act, opened, onClose, onEnd }: PlanModalProps) {
  const [isRunning, setIsRunning] = useState(false);
  return (
    <Modal
      opened={opened}
      // What runs is waited for: its end must be seen.
      onClose={() => !isRunning && onClose()}
      title={act?.question}
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {/* Inside, so that each opening begins with a new plan. */}
      {act && <PlanForm act={act} onClose={onClose} onEnd={onEnd} onRunning={setIsRunning} />}
    </Modal>
  );
}

function PlanForm(props: {
  act: AccessAct;
  onClose: () => void;
  onEnd: (result: AccessResult) => void;
  onRunning: (isRunning: boolean) => void;
}) {
  const { act, onClose, onEnd, onRunning } = props;
  const { session } = useSession();
  const [reason, setReason] = useState('');
  const { plan, isPlanning, problem, refused, planAgain, run, isRunning } = useAccessPlan(act, onEnd);
  useEffect(() => {
    onRunning(isRunning);
    return () => onRunning(false);
  }, [isRunning, onRunning]);
  const hasNothingToDo = plan?.actions.length === 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (plan !== undefined && !hasNothingToDo && !isRunning) run(reason.trim());
  };
  return (
    <form onSubmit={submit} className="stack">
      {refused !== null && plan && (
        <WarningList warnings={[refused.message, 'This is the plan as it is now. Read it again before you go on.']} />
      )}
      {problem !== null && (
        <>
          <ProblemNote problem={titled(act.failure, problem)} onRetry={planAgain} />
          <ActionList actions={rolledBackActions(problem)} label="Statements, rolled back" />
        </>
      )}
      {isPlanning && <PlanSkeleton />}
      {plan && <PlanDetails act={act.kind} plan={plan} environment={session.environment.name} />}
      {plan && !hasNothingToDo && (
        <Textarea
          label="Reason"
          description="Optional. Kept with the grant, for whoever asks later why."
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={mostReasonChars}
          rows={2}
        />
      )}
      <div className="buttons">
        <Button variant="default" onClick={onClose} disabled={isRunning} data-autofocus>
          Close
        </Button>
        {!hasNothingToDo && (
          <Button
            type="submit"
            {...(isProduction(session.environment.name) && { color: 'red' })}
            disabled={plan === undefined}
            loading={isRunning}
          >
            {act.verb}
          </Button>
        )}
      </div>
    </form>
  );
}
