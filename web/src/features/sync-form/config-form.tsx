import { syncTexts } from '@portal/contract/sync/texts';
import { CatchBoundary, useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { formatPlural } from '../../format/numbers.ts';
import { useSession } from '../../session/use-session.ts';
import { useAppRefusal } from '../../session/use-subject-refusal.ts';
import { useAddress } from '../../state/use-address.ts';
import { SyncRefusal } from '../../sync/socket-request.ts';
import { whenPageIsFree } from '../../ui/dialog-layers.ts';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { type Draft, paths } from './draft/draft.ts';
import { LeaveGuard } from './draft/leave-guard.tsx';
import { findPath, type Origin, SyncFormContext, useSyncForm } from './draft/use-sync-form.ts';
import {
  AdvancedSection,
  ConnectionsSection,
  HeliumToJourneySection,
  JourneyToHeliumSection,
  PositionFacts,
  StateSection,
} from './fields/config-sections.tsx';
import { EnrollmentSection } from './fields/enrollment-section.tsx';
import { getFieldId } from './fields/form-fields.tsx';
import { LogHelpers } from './fields/log-helpers.tsx';
import { ConnectionResult } from './save/connection-result.tsx';
import { DeletedNote } from './save/deleted-note.tsx';
import { LastRunWarnings } from './save/last-run-warnings.tsx';
import { SaveDialog } from './save/save-dialog.tsx';
import { StaleNote } from './save/stale-note.tsx';
import { TakenNote } from './save/taken-note.tsx';
import styles from './sync-form.module.css';
import { useSave, useTestConnection } from './use-sync-calls.ts';
import { WebhooksSection } from './webhooks/webhooks-section.tsx';

/**
 * The form for the configuration of an app's integration, new or existing. All fields are tested
 * and saved together. A crash of what is shown keeps the input, which is stored outside of it.
 */
export function ConfigForm(props: {
  origin: Origin;
  /** Set when another user has deleted the integration since the form opened. */
  onRecreate?: () => void;
  /** Whether another user has created an integration for the app since the form opened. */
  isTaken?: boolean;
}) {
  const { origin, onRecreate, isTaken = false } = props;
  const { app, integration } = origin;
  const { session } = useSession();
  const refusal = useAppRefusal('sync.change', app.id);
  const form = useSyncForm(origin);
  const [isConfirming, setIsConfirming] = useState(false);
  const isSaved = useRef(false);
  const [{ fix }] = useAddress();
  const focusField = useFocusField(fix === 'password' ? paths.password : null);
  const navigate = useNavigate();
  const back = useBack();
  const test = useTestConnection();
  const save = useSave(app.id, {
    onSaved(config) {
      isSaved.current = true;
      if (config.enabled) void navigate({ to: '/sync/{-$appid}', params: { appid: app.id } });
      else back();
    },
    onRefused(problem) {
      setIsConfirming(false);
      if (!(problem instanceof SyncRefusal)) return false;
      form.setResponseProblems(problem.problems);
      const [first] = problem.problems;
      if (first) focusField(findPath(form.draft, first.field));
      return isShownAtFields(form.draft, problem);
    },
  });

  const context = useMemo(() => ({ form, refusal }), [form, refusal]);

  /**
   * Shows every error that prevents a save and focuses the first one. Returns whether there are
   * any.
   */
  const showErrors = (): boolean => {
    const [first] = form.draftProblems;
    if (!first) return false;
    form.showAllProblems();
    focusField(findPath(form.draft, first.field));
    return true;
  };
  const confirmSave = () => !showErrors() && setIsConfirming(true);
  const runTest = () => {
    const result = form.readConfig();
    if (showErrors() || !('config' in result)) return;
    form.setResponseProblems([]);
    save.reset();
    test.mutate(result.config, { onSuccess: ({ problems }) => form.setResponseProblems(problems) });
  };
  const saveDraft = () => {
    const result = form.readConfig();
    test.reset();
    if ('config' in result) save.mutate(result.config);
  };

  const isDeleted = onRecreate !== undefined && !form.isNew;
  const isStale = form.isStale && integration !== null && !onRecreate;
  const saveRefusal =
    refusal ??
    (isTaken ? syncTexts.alreadyThere(app.id) : null) ??
    (isDeleted ? 'The integration was deleted. Create it again first.' : null) ??
    (isStale ? `Load the changes saved by ${integration.changedBy} first.` : null) ??
    (form.changes.length === 0 && !form.isNew ? 'There are no changes to save.' : null);
  // A note on another user's change, or each field, reports why a save was refused.
  const isReported = isStale || isTaken || isDeleted || isShownAtFields(form.draft, save.error);
  const isOutdated = save.variables?.basedOn !== form.basedOn;
  const failure = test.error ?? (isReported || isOutdated ? null : save.error);
  return (
    <SyncFormContext value={context}>
      <CatchBoundary
        getResetKey={() => origin.app.id}
        errorComponent={({ error, reset }) => <ProblemNote problem={error} onRetry={reset} />}
        onCatch={() => setIsConfirming(false)}
      >
        <div className={styles.form}>
          {refusal !== null && <p className={styles.notice}>{refusal}</p>}
          {form.isRestored && (
            <p className={styles.notice}>
              Your unsaved changes were restored after your session ended. Enter the password again.
            </p>
          )}
          {integration && <PositionFacts integration={integration} />}
          <StateSection />
          <ConnectionsSection />
          <HeliumToJourneySection helpers={<LogHelpers schema={app.schemaName} />} />
          <JourneyToHeliumSection />
          {integration && !isDeleted && <WebhooksSection appId={app.id} />}
          <EnrollmentSection appId={app.id} />
          <AdvancedSection />
          {!test.data && integration && integration.mappingWarnings.count > 0 && (
            <LastRunWarnings warnings={integration.mappingWarnings} />
          )}
          <div role="status">{test.data && <ConnectionResult result={test.data} />}</div>
          <div className={styles.bar}>
            {onRecreate && <DeletedNote onRecreate={onRecreate} />}
            {isTaken && <TakenNote appId={app.id} />}
            {isStale && <StaleNote integration={integration} />}
            {failure !== null && (
              <div className={styles.failure}>
                <ProblemNote title={syncTexts.title} problem={failure} />
              </div>
            )}
            <ExplainedButton reason={saveRefusal} onClick={confirmSave}>
              Save
            </ExplainedButton>
            <ExplainedButton variant="default" reason={refusal} loading={test.isPending} onClick={runTest}>
              Test connection
            </ExplainedButton>
            <ExplainedButton variant="default" reason={null} onClick={back}>
              Back
            </ExplainedButton>
            <span className={styles.barText} role="status">
              {describeProgress(form.problems.length, form.isNew ? 0 : form.changes.length)}
            </span>
          </div>
        </div>
        <SaveDialog
          opened={isConfirming}
          name={app.name}
          environment={session.environment.name}
          isNew={form.isNew}
          isEnabled={form.isOn('enabled')}
          difference={form.savedChanges}
          pending={save.isPending}
          onClose={() => setIsConfirming(false)}
          onConfirm={saveDraft}
        />
      </CatchBoundary>
      <LeaveGuard isUnsaved={() => !isSaved.current && form.changes.length > 0} />
    </SyncFormContext>
  );
}

function describeProgress(problems: number, changes: number): string {
  const texts = [
    problems > 0 && `${formatPlural(problems, 'field needs', 'fields need')} attention`,
    changes > 0 && `${formatPlural(changes, 'field')} changed`,
  ];
  return texts.filter(Boolean).join(' · ');
}

/**
 * Focuses the initial field. Returns a function that focuses another one, once the section that
 * contains it has been expanded.
 */
function useFocusField(initialPath: string | null): (path: string) => void {
  const [request, setRequest] = useState(initialPath === null ? null : { path: initialPath });
  useEffect(() => {
    if (request) whenPageIsFree(() => document.getElementById(getFieldId(request.path))?.focus());
  }, [request]);
  return (path) => setRequest({ path });
}

/** Whether each problem is shown at a field of the form. */
function isShownAtFields(draft: Draft, problem: unknown): boolean {
  return (
    problem instanceof SyncRefusal &&
    problem.problems.length > 0 &&
    problem.problems.every(({ field }) => findPath(draft, field) in draft)
  );
}

/** Returns to the previous page, or to the list when there is none. */
function useBack(): () => void {
  const { history } = useRouter();
  const navigate = useNavigate();
  return () => {
    if (history.canGoBack()) history.back();
    else void navigate({ to: '/sync/{-$appid}', params: { appid: undefined } });
  };
}
