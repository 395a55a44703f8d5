import { Radio, Textarea } from '@mantine/core';
import '@mantine/core/styles/Radio.layer.css';
import { type Outcome, outcomeSchema, type Schedule } from '@portal/contract/deployments';
import { outcomeLabels } from '@portal/contract/deployments-fields';
import { useRef, useState } from 'react';
import { CallProblem } from '../../../lib/call-problem.ts';
import { createKept, useKeptState } from '../../../session/use-kept-state.ts';
import { useSession } from '../../../session/use-session.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import styles from '../deployments.module.css';
import { useResolve } from '../use-deployments.ts';

const maxNoteLength = 2_000;

const keptSchedule = createKept<Schedule | null>();
const keptIsOpen = createKept<boolean>();
const keptOutcome = createKept<Outcome | null>();
const keptNote = createKept<string>();

/**
 * Returns a dialog that resolves a schedule with an outcome and a note, after a typed confirmation
 * word.
 */
export function useResolveDialog() {
  const { session } = useSession();
  const resolve = useResolve();
  // Keeps its value while the dialog closes.
  const [schedule, setSchedule] = useKeptState(keptSchedule, '', () => null);
  const [isOpen, setIsOpen] = useKeptState(keptIsOpen, '', () => false);
  const [outcome, setOutcome] = useKeptState(keptOutcome, '', () => null);
  const [note, setNote] = useKeptState(keptNote, '', () => '');
  /** Whether the user has tried to resolve it, after which what is missing is marked. */
  const [wasTried, setWasTried] = useState(false);
  const firstOutcome = useRef<HTMLInputElement>(null);
  const noteField = useRef<HTMLTextAreaElement>(null);
  const ask = (next: Schedule) => {
    setSchedule(next);
    setOutcome(null);
    setNote('');
    setWasTried(false);
    setIsOpen(true);
  };
  const confirm = () => {
    setWasTried(true);
    if (outcome === null) return firstOutcome.current?.focus();
    if (note.trim() === '') return noteField.current?.focus();
    const close = () => setIsOpen(false);
    // After another failure it stays open, with the note.
    const onError = (problem: Error) => problem instanceof CallProblem && problem.status === 409 && close();
    if (schedule) resolve.mutate({ schedule, outcome, note }, { onSuccess: close, onError });
  };
  const dialog = (
    <ConfirmModal
      opened={isOpen}
      onClose={() => setIsOpen(false)}
      title="Resolve this deployment?"
      confirmLabel="Resolve"
      confirmWord="RESOLVE"
      danger
      pending={resolve.isPending}
      onConfirm={confirm}
    >
      {schedule && (
        <p>
          <strong>{schedule.releaseName}</strong> of {schedule.team} in <strong>{session.environment.name}</strong>{' '}
          leaves the list and the calendar and can no longer be updated. Show resolved still lists it.
        </p>
      )}
      <Radio.Group
        label="Outcome"
        value={outcome}
        onChange={(value) => setOutcome(outcomeSchema.parse(value))}
        error={wasTried && outcome === null && 'Please choose how it ended'}
      >
        <div className={styles.outcomes}>
          {outcomeSchema.options.map((option, at) => (
            <Radio
              key={option}
              value={option}
              label={outcomeLabels[option]}
              {...(at === 0 && { ref: firstOutcome, 'data-autofocus': true })}
            />
          ))}
        </div>
      </Radio.Group>
      <Textarea
        ref={noteField}
        label="Note"
        description="What happened, for anyone who looks it up later"
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        error={wasTried && note.trim() === '' && 'Please write a note'}
        maxLength={maxNoteLength}
        autosize
        minRows={2}
        maxRows={6}
      />
    </ConfirmModal>
  );
  return { ask, dialog };
}
