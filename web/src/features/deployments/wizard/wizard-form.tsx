import { Button } from '@mantine/core';
import type { Schedule } from '@portal/contract/deployments';
import { findReleaseError, findReleaseWarnings, findSelectionError } from '@portal/contract/deployments-rules';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { getServerNow } from '../../../api/server-clock.ts';
import { useSession } from '../../../session/use-session.ts';
import { useTeamRefusal } from '../../../session/use-subject-refusal.ts';
import { showProblem, showSuccess } from '../../../ui/popups.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { useFaultFocus } from '../../../ui/use-fault-focus.ts';
import styles from '../deployments.module.css';
import { useAppName } from '../use-app-name.ts';
import { useDeploymentApps, type useMerge, useScheduleConflicts } from '../use-deployments.ts';
import { ConfirmationStep } from './confirmation-step.tsx';
import { type Draft, findDraftError, findField, findTagDayProblem, toPayload, toRelease } from './draft.ts';
import { ReleaseChecks } from './release-checks.tsx';
import { ReleaseStep } from './release-step.tsx';
import { SelectionStep } from './selection-step.tsx';
import { StaleNote } from './stale-note.tsx';
import { getStepNames, StepList } from './step-list.tsx';
import { useDraft } from './use-draft.ts';
import { useFaultDescription } from './use-fault-description.ts';
import wizardStyles from './wizard.module.css';

/** The form in three steps. The first two are validated before the next step, the third saves. */
export function WizardForm(props: {
  purpose: string;
  /** The initial draft if none was saved. */
  initialDraft: Draft;
  /** The current state of the schedule being updated; null for a new one. */
  updated: Schedule | null;
  settings: { sourceControlPrefix: string; timeZone: string };
  merge: ReturnType<typeof useMerge>;
  onSaved: (schedule: Schedule) => void;
}) {
  const { updated, settings, merge, onSaved } = props;
  const { session } = useSession();
  const draftState = useDraft(props.purpose, props.initialDraft);
  const { fields, step, expected } = draftState.draft;
  /** How often the user has tried to leave the current step. */
  const [attempts, setAttempts] = useState(0);
  const [attemptedError, setAttemptedError] = useState<string | null>(null);
  const faultId = useId();
  // One key per opening, so that a repeated request is saved only once.
  const [requestKey] = useState(newRequestKey);

  const { sourceControlPrefix: prefix, timeZone } = settings;
  const release = toRelease(fields, timeZone);
  // An unchanged date may have passed. The rest of the schedule can still be corrected.
  const isUnchangedDate = updated !== null && release.deploymentDate?.getTime() === Date.parse(updated.deploymentDate);
  const rules = () => ({
    prefix,
    timeZone,
    now: (isUnchangedDate && release.deploymentDate) || new Date(getServerNow()),
  });
  const findStepError = () =>
    step === 0 ? findSelectionError(fields) : step === 1 ? findReleaseError(release, rules()) : null;
  const error = attempts > 0 ? findStepError() : null;
  const invalidField = findField(error, prefix);
  const apps = useDeploymentApps(fields);
  const appName = useAppName(apps.data, updated);
  const conflicts = useScheduleConflicts({
    id: updated?.id ?? null,
    dataSource: fields.dataSource,
    appIds: fields.appIds,
    at: step === 0 ? null : release.deploymentDate,
  });
  // Some teams are known only by the apps that are chosen.
  const chosenTeam = fields.appIds.length > 0 ? (fields.team ?? '') : '';
  const refusal = useTeamRefusal('deployments.change', chosenTeam, fields.appIds);
  const dayProblem = findTagDayProblem(fields, { timeZone, now: new Date(getServerNow()) });
  const warnings = [...findReleaseWarnings(release, timeZone), ...(dayProblem === null ? [] : [dayProblem])];
  const isStale = updated !== null && expected !== null && updated.revision > expected;

  const content = useRef<HTMLElement>(null);
  const seenStep = useRef(step);
  useEffect(() => {
    // The dialog opened without the fields and focused its own button. A focus elsewhere was moved
    // by the user.
    const dialog = content.current?.closest('[role="dialog"]');
    const isUnmoved = document.activeElement === dialog?.querySelector('button');
    if (isUnmoved) content.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
  }, []);
  useEffect(() => {
    // Moves keyboard and screen reader users to the start of the new step.
    if (seenStep.current !== step) content.current?.focus();
    seenStep.current = step;
  }, [step]);
  useFaultFocus(content, attempts);
  useFaultDescription(content, { faultId, fault: error });

  const goTo = (next: Draft['step']) => {
    setAttempts(0);
    draftState.goTo(next);
  };
  const save = () => {
    const payload = toPayload(draftState.draft, { environment: session.environment.name, timeZone, requestKey });
    // Time has passed since the steps were validated, so the date may be in the past now.
    const draftError = findDraftError(fields, rules());
    if (draftError !== null || payload === null) {
      draftState.goTo(draftError?.step ?? 1);
      setAttemptedError(draftError?.message ?? null);
      return setAttempts(1);
    }
    merge.mutate(
      { id: updated?.id ?? null, fields: payload },
      {
        onSuccess: (saved) => {
          draftState.discard();
          onSaved(saved);
          showSuccess(updated === null ? 'Deployment scheduled' : 'Schedule updated', saved.releaseName);
        },
        onError: (problem) => showProblem('Problem merging Deployment Schedule.', problem),
      },
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (merge.isPending || refusal !== null) return;
    if (step === 2) return save();
    const stepError = findStepError();
    if (stepError === null) return goTo(step === 0 ? 1 : 2);
    setAttemptedError(stepError);
    setAttempts(attempts + 1);
  };

  return (
    <form onSubmit={submit} className="stack-l" noValidate>
      <StepList step={step} product={session.product} onBack={goTo} />
      {draftState.restoredAt !== null && (
        <p className={styles.draftNote}>
          <span>
            Continuing your draft, last changed <RelativeTime at={draftState.restoredAt} />.
          </span>
          <button type="button" className="plain-link" onClick={draftState.discard}>
            Start over
          </button>
        </p>
      )}
      {isStale && <StaleNote theirs={updated} draftState={draftState} appName={appName} timeZone={timeZone} />}
      <section
        ref={content}
        className={wizardStyles.content}
        aria-label={getStepNames(session.product)[step]}
        tabIndex={-1}
      >
        {step === 0 && (
          <SelectionStep
            fields={fields}
            apps={apps}
            invalidField={invalidField}
            appName={appName}
            onChange={draftState.change}
          />
        )}
        {step === 1 && (
          <ReleaseStep fields={fields} settings={settings} invalidField={invalidField} onChange={draftState.change} />
        )}
        {step === 2 && <ConfirmationStep fields={fields} timeZone={timeZone} appName={appName} />}
      </section>
      {step > 0 && <ReleaseChecks warnings={warnings} conflicts={conflicts} timeZone={timeZone} />}
      {/* Announced with each attempt, but not with each correction. */}
      <p
        key={attempts}
        id={faultId}
        className={wizardStyles.fault}
        role={refusal !== null || error === attemptedError ? 'alert' : undefined}
      >
        {refusal ?? error}
      </p>
      <div className="buttons">
        {step > 0 && (
          <Button variant="default" onClick={() => goTo(step === 2 ? 1 : 0)} disabled={merge.isPending}>
            Back
          </Button>
        )}
        <Button type="submit" loading={merge.isPending}>
          {step < 2 ? 'Next' : updated === null ? 'Schedule deployment' : 'Save schedule'}
        </Button>
      </div>
    </form>
  );
}

/** Returns a random key. Insecure origins have no `crypto.randomUUID`. */
function newRequestKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
