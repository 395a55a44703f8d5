import { syncTexts } from '@portal/contract/sync-texts';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { formatPlural } from '../../lib/format.ts';
import { SyncRefusal } from '../../lib/sync-socket-request.ts';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { LeaveGuard } from './draft/leave-guard.tsx';
import { type Origin, pathAt, SyncFormContext, useSyncForm } from './draft/use-sync-form.ts';
import {
  AdvancedSection,
  EndsSection,
  HeliumToJourneySection,
  JourneyToHeliumSection,
  PositionFacts,
  StateSection,
} from './fields/config-sections.tsx';
import { EnrollmentSection } from './fields/enrollment-section.tsx';
import { idOf } from './fields/form-fields.tsx';
import { LogHelpers } from './fields/log-helpers.tsx';
import { ConnectionResult } from './save/connection-result.tsx';
import { DeletedNote } from './save/deleted-note.tsx';
import { OvertakenNote } from './save/overtaken-note.tsx';
import { SaveDialog } from './save/save-dialog.tsx';
import { TakenNote } from './save/taken-note.tsx';
import styles from './sync-form.module.css';
import { useSave, useTestConnection } from './use-sync-calls.ts';

/**
 * The configuration of one app's integration, new or not: all its fields, tried and saved as a
 * whole.
 */
export function ConfigForm(props: {
  origin: Origin;
  /** There when somebody has deleted the integration meanwhile. */
  onCreateAnew?: () => void;
  /** Somebody has created one of the app meanwhile. */
  isTaken?: boolean;
}) {
  const { origin, onCreateAnew, isTaken = false } = props;
  const { app, integration } = origin;
  const { session } = useSession();
  const refusal = useRefusal('sync.change');
  const form = useSyncForm(origin);
  const [isAsking, setIsAsking] = useState(false);
  const isSaved = useRef(false);
  const navigate = useNavigate();
  const back = useBack();
  const test = useTestConnection();
  const save = useSave(app.id, {
    saved(config) {
      isSaved.current = true;
      if (config.enabled) void navigate({ to: '/sync/{-$appid}', params: { appid: app.id } });
      else back();
    },
    refused(problem) {
      setIsAsking(false);
      if (problem instanceof SyncRefusal) form.answer(problem.problems);
    },
  });

  const context = useMemo(() => ({ form, refusal }), [form, refusal]);

  /** What cannot be sent as it is: shown, and the first of it in view. */
  const findFaults = (): boolean => {
    const [first] = form.live;
    if (!first) return false;
    form.showAll();
    // Once what is folded away has been unfolded for it.
    setTimeout(() => document.getElementById(idOf(pathAt(form.draft, first.field)))?.focus());
    return true;
  };
  const askToSave = () => !findFaults() && setIsAsking(true);
  const tryEnds = () => {
    const read = form.read();
    if (findFaults() || !('config' in read)) return;
    form.answer([]);
    test.mutate(read.config, { onSuccess: ({ problems }) => form.answer(problems) });
  };
  const confirm = () => {
    const read = form.read();
    if ('config' in read) save.mutate(read.config);
  };

  const isOvertaken = form.isOvertaken && integration !== null && !onCreateAnew;
  const unsavable =
    refusal ??
    (isTaken ? syncTexts.alreadyThere(app.id) : null) ??
    (onCreateAnew && !form.isNew ? 'The integration was deleted: create it anew first.' : null) ??
    (isOvertaken ? `Load what ${integration.changedBy} has saved first.` : null) ??
    (form.changes.length === 0 && !form.isNew ? 'Nothing is changed.' : null);
  return (
    <SyncFormContext value={context}>
      <div className={styles.form}>
        {refusal !== null && <p className={styles.notice}>{refusal}</p>}
        {form.isRestored && (
          <p className={styles.notice}>
            What you had typed before the session ended is here again, but for a password.
          </p>
        )}
        {integration && <PositionFacts integration={integration} />}
        <StateSection />
        <EndsSection />
        <HeliumToJourneySection helpers={<LogHelpers schema={app.schemaName} />} />
        <JourneyToHeliumSection />
        <EnrollmentSection appId={app.id} />
        <AdvancedSection />
        <div role="status">{test.data && <ConnectionResult tried={test.data} />}</div>
        {test.isError && <ProblemNote problem={test.error} />}
        {save.isError && <ProblemNote problem={save.error} />}
        <div className={styles.bar}>
          {onCreateAnew && <DeletedNote onCreateAnew={onCreateAnew} />}
          {isTaken && <TakenNote appId={app.id} />}
          {isOvertaken && <OvertakenNote integration={integration} />}
          <ExplainedButton reason={unsavable} onClick={askToSave}>
            Save
          </ExplainedButton>
          <ExplainedButton variant="default" reason={refusal} loading={test.isPending} onClick={tryEnds}>
            Test connection
          </ExplainedButton>
          <ExplainedButton variant="default" reason={null} onClick={back}>
            Back
          </ExplainedButton>
          <span className={styles.barText} role="status">
            {barTextOf(form.problems.length, form.isNew ? 0 : form.changes.length)}
          </span>
        </div>
      </div>
      <SaveDialog
        opened={isAsking}
        name={app.name}
        environment={session.environment.name}
        isNew={form.isNew}
        isEnabled={form.isOn('enabled')}
        difference={form.difference}
        pending={save.isPending}
        onClose={() => setIsAsking(false)}
        onConfirm={confirm}
      />
      <LeaveGuard isUnsaved={() => !isSaved.current && form.changes.length > 0} />
    </SyncFormContext>
  );
}

function barTextOf(problems: number, changes: number): string {
  const texts = [
    problems > 0 && `${formatPlural(problems, 'field needs', 'fields need')} attention`,
    changes > 0 && `${formatPlural(changes, 'field')} changed`,
  ];
  return texts.filter(Boolean).join(' · ');
}

/** To where one came from; to the list, for who came by a link. */
function useBack(): () => void {
  const { history } = useRouter();
  const navigate = useNavigate();
  return () => {
    if (history.canGoBack()) history.back();
    else void navigate({ to: '/sync/{-$appid}', params: { appid: undefined } });
  };
}
