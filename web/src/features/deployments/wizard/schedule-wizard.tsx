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

/** The wizard that creates or updates a schedule. Closing it keeps the draft. */
export function ScheduleWizard({ purpose, schedules, onClose }: WizardProps) {
  const merge = useMerge();
  return (
    <Modal
      opened={purpose !== null}
      // Cannot be closed while saving: the user must see the result.
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

/** Loads the data for the form, or shows why the form cannot open. */
function WizardContent(props: WizardProps & { purpose: WizardPurpose; merge: ReturnType<typeof useMerge> }) {
  const { purpose, schedules, merge, onClose } = props;
  const refusal = useRefusal('deployments.change');
  const settings = useDeploymentSettings();
  if (refusal !== null) return <Empty text={refusal} />;
  const isNew = purpose.kind === 'new';
  const origin = isNew ? null : findSchedule(schedules, purpose.id);
  const failedLoad = settings.isError ? settings : origin === undefined && schedules.isError ? schedules : null;
  if (failedLoad)
    return (
      <ProblemNote
        title={failedLoad === schedules ? 'Problem retrieving Deployment Schedules.' : undefined}
        problem={failedLoad.error}
        onRetry={() => void failedLoad.refetch()}
      />
    );
  if (!settings.data || origin === undefined) return <WizardSkeleton />;
  if (!isNew && origin === null)
    return <Empty text="Schedule not found." hint="It may belong to another environment." />;
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
