import { Button, Modal, Textarea } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { isProduction } from '@portal/contract/environments';
import { type FormEvent, useEffect, useState } from 'react';
import { withTitle } from '../../../api/with-title.ts';
import { createKept, useKeptState } from '../../../session/use-kept-state.ts';
import { useSession } from '../../../session/use-session.ts';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import type { AccessResult } from '../grants/access-result.ts';
import { rolledBackActions } from '../rolled-back-actions.ts';
import type { AccessRequest } from './access-request.ts';
import { ActionList } from './action-list.tsx';
import { PlanDetails, PlanSkeleton } from './plan-details.tsx';
import { useAccessPlan } from './use-access-plan.ts';
import { WarningList } from './warning-list.tsx';

const maxReasonChars = 1000;

const keptReason = createKept<string>();

interface PlanModalProps {
  /** The request; keeps its value while the dialog closes. */
  readonly request: AccessRequest | null;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onEnd: (result: AccessResult) => void;
}

/** Shows exactly what a grant or revert would do, and runs it after confirmation. */
export function PlanModal({ request, opened, onClose, onEnd }: PlanModalProps) {
  const [isRunning, setIsRunning] = useState(false);
  return (
    <Modal
      opened={opened}
      // Stays open while the request runs, so that the user sees the result.
      onClose={() => !isRunning && onClose()}
      title={request?.title}
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {/* Inside the modal, so that each opening creates a new plan. */}
      {request && <PlanForm request={request} onClose={onClose} onEnd={onEnd} onRunning={setIsRunning} />}
    </Modal>
  );
}

function PlanForm(props: {
  request: AccessRequest;
  onClose: () => void;
  onEnd: (result: AccessResult) => void;
  onRunning: (isRunning: boolean) => void;
}) {
  const { request, onClose, onEnd, onRunning } = props;
  const { session } = useSession();
  const [reason, setReason] = useKeptState(keptReason, request.title, () => '');
  const { plan, isPlanning, problem, refusal, recreatePlan, run, isRunning } = useAccessPlan(request, onEnd);
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
      {refusal !== null && plan && (
        <WarningList warnings={[refusal.message, 'The plan has changed. Review it again before you continue.']} />
      )}
      {problem !== null && (
        <>
          <ProblemNote problem={withTitle(request.failureTitle, problem)} onRetry={recreatePlan} />
          <ActionList actions={rolledBackActions(problem)} label="Statements, rolled back" />
        </>
      )}
      {isPlanning && <PlanSkeleton />}
      {plan && <PlanDetails kind={request.kind} plan={plan} environment={session.environment.name} />}
      {plan && !hasNothingToDo && (
        <Textarea
          label="Reason"
          description="Optional. Stored with the grant for later reference."
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={maxReasonChars}
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
            {request.confirmLabel}
          </Button>
        )}
      </div>
    </form>
  );
}
