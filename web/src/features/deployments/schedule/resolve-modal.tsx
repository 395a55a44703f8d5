import { Radio, Textarea } from '@mantine/core';
import '@mantine/core/styles/Radio.layer.css';
import { type Outcome, outcomeSchema, type Schedule } from '@portal/contract/deployments';
import { outcomeLabels } from '@portal/contract/deployments-fields';
import { useState } from 'react';
import { CallProblem } from '../../../api/call-problem.ts';
import { getServerNow } from '../../../api/server-clock.ts';
import { createKept, useKeptState } from '../../../session/use-kept-state.ts';
import { useSession } from '../../../session/use-session.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { ZoneTime } from '../../../ui/zone-time.tsx';
import styles from '../deployments.module.css';
import { useResolve } from '../use-deployments.ts';

const maxNoteLength = 2_000;
const usualOutcome: Outcome = 'deployed';

const keptSchedule = createKept<Schedule | null>();
const keptIsOpen = createKept<boolean>();
const keptOutcome = createKept<Outcome>();
const keptNote = createKept<string>();

/**
 * Returns a dialog that resolves a schedule after a typed confirmation word. If the deployment is
 * still to come and not called off, the first click only warns, and the second one resolves.
 *
 * @param page Identifies the page that opens it.
 * @param remarks What the release has left behind, as sentences.
 */
export function useResolveDialog(page: string, remarks: readonly string[] = []) {
  const { session } = useSession();
  const { name, timeZone } = session.environment;
  const resolve = useResolve();
  // Keeps its value while the dialog closes.
  const [schedule, setSchedule] = useKeptState(keptSchedule, page, () => null);
  const [isOpen, setIsOpen] = useKeptState(keptIsOpen, page, () => false);
  const [outcome, setOutcome] = useKeptState(keptOutcome, page, () => usualOutcome);
  const [note, setNote] = useKeptState(keptNote, page, () => '');
  const [isWarned, setIsWarned] = useState(false);
  const ask = (next: Schedule) => {
    setSchedule(next);
    setOutcome(usualOutcome);
    setNote('');
    setIsWarned(false);
    setIsOpen(true);
  };
  const confirm = () => {
    if (schedule === null) return;
    const isEarly = outcome !== 'calledOff' && Date.parse(schedule.deploymentDate) > getServerNow();
    if (isEarly && !isWarned) return setIsWarned(true);
    const close = () => setIsOpen(false);
    // After another failure it stays open, with the note.
    const onError = (problem: Error) => problem instanceof CallProblem && problem.status === 409 && close();
    resolve.mutate({ schedule, outcome, note }, { onSuccess: close, onError });
  };
  const dialog = (
    <ConfirmModal
      opened={isOpen}
      onClose={() => setIsOpen(false)}
      title="Resolve this deployment?"
      confirmLabel={isWarned ? 'Resolve anyway' : 'Resolve'}
      confirmWord="RESOLVE"
      danger
      pending={resolve.isPending}
      onConfirm={confirm}
    >
      {schedule && (
        <p>
          <strong>{schedule.releaseName}</strong> of {schedule.team} in <strong>{name}</strong> leaves the list and the
          calendar and can no longer be updated. Show resolved still lists it.
        </p>
      )}
      {remarks.length > 0 && (
        <ul className={styles.remarks}>
          {remarks.map((remark) => (
            <li key={remark}>{remark}</li>
          ))}
        </ul>
      )}
      <Radio.Group
        label="Outcome"
        value={outcome}
        onChange={(value) => {
          setOutcome(outcomeSchema.parse(value));
          setIsWarned(false);
        }}
      >
        <div className={styles.outcomes}>
          {outcomeSchema.options.map((option) => (
            <Radio key={option} value={option} label={outcomeLabels[option]} />
          ))}
        </div>
      </Radio.Group>
      <Textarea
        label="Note"
        description="Optional: what happened, for anyone who looks it up later"
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={maxNoteLength}
        autosize
        minRows={2}
        maxRows={6}
      />
      {isWarned && schedule && (
        <p className={styles.early} role="alert">
          It is scheduled for <ZoneTime at={schedule.deploymentDate} timeZone={timeZone} />, which is still to come.
        </p>
      )}
    </ConfirmModal>
  );
  return { ask, dialog };
}
