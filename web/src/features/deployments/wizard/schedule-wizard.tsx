import { Skeleton } from '@mantine/core';
import type { Schedule } from '@portal/contract/deployments';
import type { UseQueryResult } from '@tanstack/react-query';
import { useRefusal } from '../../../session/use-session.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { formatPurpose, type WizardPurpose } from '../deployments-address.ts';
import { useDeploymentSettings, useMerge } from '../use-deployments.ts';
import { draftToClone, draftToUpdate, emptyDraft } from './draft.ts';
import { WizardForm } from './wizard-form.tsx';

interface WizardProps {
  /** null: closed */
  readonly purpose: WizardPurpose | null;
  /**
   * The schedule that is updated or cloned; undefined while it is loading, null if there is none.
   */
  readonly origin: Schedule | null | undefined;
  /** Loads the origin; omitted where it is known. */
  readonly load?: Pick<UseQueryResult, 'isError' | 'error' | 'refetch'>;
  readonly onClose: () => void;
  /** Called instead of `onClose` with what was saved. */
  readonly onSaved?: (schedule: Schedule) => void;
}

/** The wizard that creates or updates a schedule. Closing it keeps the draft. */
export function ScheduleWizard({ purpose, onClose, ...others }: WizardProps) {
  const merge = useMerge();
  return (
    <Dialog
      opened={purpose !== null}
      // Cannot be closed while saving: the user must see the result.
      onClose={() => !merge.isPending && onClose()}
      title={purpose?.kind === 'update' ? 'Update a Helium Deployment Schedule' : 'Schedule a Helium Deployment'}
      size="xl"
      closeOnClickOutside={false}
    >
      {purpose && (
        <WizardContent key={formatPurpose(purpose)} purpose={purpose} merge={merge} onClose={onClose} {...others} />
      )}
    </Dialog>
  );
}

/** Loads the data for the form, or shows why the form cannot open. */
function WizardContent(props: WizardProps & { purpose: WizardPurpose; merge: ReturnType<typeof useMerge> }) {
  const { purpose, load, merge, onClose, onSaved = onClose } = props;
  const refusal = useRefusal('deployments.change');
  const settings = useDeploymentSettings();
  if (refusal !== null) return <Empty text={refusal} />;
  const isNew = purpose.kind === 'new';
  const origin = isNew ? null : props.origin;
  const failedLoad = settings.isError ? settings : origin === undefined && load?.isError ? load : null;
  if (failedLoad)
    return (
      <ProblemNote
        title={failedLoad === load ? 'Problem retrieving Deployment Schedules.' : undefined}
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
      onSaved={onSaved}
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
