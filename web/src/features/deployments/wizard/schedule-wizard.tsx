import { Modal, Skeleton } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import type { Schedule } from '@portal/contract/deployments';
import { useRefusal } from '../../../session/use-session.ts';
import { Empty } from '../../../ui/empty.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { formatPurpose, type WizardPurpose } from '../deployments-address.ts';
import { findSchedule, type SchedulesLoad } from '../schedule/use-schedules.ts';
import { useDeploymentSettings, useMerge } from '../use-deployments.ts';
import { draftToClone, draftToUpdate, emptyDraft } from './draft.ts';
import { WizardForm } from './wizard-form.tsx';

interface WizardProps {
  /** null: closed */
  readonly purpose: WizardPurpose | null;
  readonly schedules: SchedulesLoad;
  readonly onClose: () => void;
}

/** Asks step by step for what a schedule needs. Closing it keeps what is filled in. */
export function ScheduleWizard({ purpose, schedules, onClose }: WizardProps) {
  const merge = useMerge();
  return (
    <Modal
      opened={purpose !== null}
      // What is being saved is waited for: its end must be seen.
      onClose={() => !merge.isPending && onClose()}
      title={purpose?.kind === 'update' ? 'Update a Helium Deployment Schedule' : 'Schedule a Helium Deployment'}
      size="xl"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {purpose && (
        <WizardContent
          key={formatPurpose(purpose)}
          purpose={purpose}
          schedules={schedules}
          merge={merge}
          onClose={onClose}
        />
      )}
    </Modal>
  );
}

/** Waits for what the form begins with, or says why it cannot begin. */
function WizardContent(props: WizardProps & { purpose: WizardPurpose; merge: ReturnType<typeof useMerge> }) {
  const { purpose, schedules, merge, onClose } = props;
  const refusal = useRefusal('deployments.change');
  const settings = useDeploymentSettings();
  if (refusal !== null) return <Empty text={refusal} />;
  const isNew = purpose.kind === 'new';
  const origin = isNew ? null : findSchedule(schedules, purpose.id);
  const failed = settings.isError ? settings : origin === undefined && schedules.isError ? schedules : null;
  if (failed) return <ProblemNote problem={failed.error} onRetry={() => void failed.refetch()} />;
  if (!settings.data || origin === undefined) return <WizardSkeleton />;
  if (!isNew && origin === null)
    return <Empty text="This schedule is not there." hint="It may be of another environment." />;
  if (purpose.kind === 'update' && origin?.scheduleStatus === 'RESOLVED')
    return <Empty text={`${origin.portalUser} has resolved this schedule.`} hint="Clone it to schedule it again." />;
  const { timeZone } = settings.data;
  return (
    <WizardForm
      purpose={formatPurpose(purpose)}
      initialDraft={getInitialDraft(purpose, origin, timeZone)}
      updated={purpose.kind === 'update' ? origin : null}
      settings={settings.data}
      merge={merge}
      onClose={onClose}
    />
  );
}

function getInitialDraft(purpose: WizardPurpose, origin: Schedule | null, timeZone: string) {
  if (origin === null) return emptyDraft;
  return purpose.kind === 'update' ? draftToUpdate(origin, timeZone) : draftToClone(origin, timeZone);
}

function WizardSkeleton() {
  return (
    <div className="stack-l" role="status" aria-label="Loading …">
      <Skeleton height={24} width="70%" />
      {['source', 'team', 'project'].map((field) => (
        <Skeleton key={field} height={52} />
      ))}
      <Skeleton height={180} />
    </div>
  );
}
