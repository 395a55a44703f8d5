import type { ConflictField, TakenValue } from '@portal/contract/sync/conflicts';
import { useState } from 'react';
import { formatCount, formatPlural } from '../../../../format/numbers.ts';
import { ConfirmModal } from '../../../../ui/confirm-modal.tsx';
import { ExplainedButton } from '../../../../ui/explained-button.tsx';
import styles from '../records-modal.module.css';
import { sideNames } from './conflict-columns.tsx';
import { describeField } from './conflict-field.ts';
import { useReviewConflicts } from './use-conflicts.ts';

/** More than these need a typed word. */
const maxUnconfirmed = 10;

type Taken = Exclude<TakenValue, 'value'>;

const labels: Readonly<Record<Taken, string>> = {
  winner: 'Acknowledge all',
  helium: 'Take Helium’s values',
  journey: 'Take Journey’s values',
};

interface ReviewFieldProps {
  readonly appId: string;
  readonly field: ConflictField;
  readonly count: number;
  readonly refusal: string | null;
}

/** Reviews all conflicts of one field. */
export function ReviewField({ appId, field, count, refusal }: ReviewFieldProps) {
  const review = useReviewConflicts();
  // Keeps its value while the dialog closes.
  const [take, setTake] = useState<Taken>('winner');
  const [isOpen, setIsOpen] = useState(false);
  const ask = (next: Taken) => {
    setTake(next);
    setIsOpen(true);
  };
  const choices: readonly Taken[] = field.column === null ? ['winner'] : ['winner', 'helium', 'journey'];
  return (
    <>
      <span className={styles.actions}>
        {choices.map((choice) => (
          <ExplainedButton
            key={choice}
            variant="default"
            size="compact-sm"
            reason={refusal}
            onClick={() => ask(choice)}
          >
            {labels[choice]}
          </ExplainedButton>
        ))}
      </span>
      <ConfirmModal
        opened={isOpen}
        onClose={() => {
          review.stop();
          setIsOpen(false);
        }}
        title={labels[take]}
        confirmLabel={labels[take]}
        cancelLabel={review.isPending ? 'Stop' : 'Cancel'}
        pending={review.isPending}
        {...(take !== 'winner' && count > maxUnconfirmed && { confirmWord: 'TAKE' })}
        onConfirm={() => review.mutate({ appId, field, take }, { onSuccess: () => setIsOpen(false) })}
      >
        <p>
          <strong>{formatPlural(count, 'conflict')}</strong> of {describeField(field)}{' '}
          {take === 'winner' ? 'keep the value that won and leave this list. ' : `get ${sideNames[take]}’s value. `}
          {take !== 'winner' &&
            'Where it had lost, it is written to Helium as an edit, and Journey receives it too, where Helium’s changes are sent. Records that have changed since are left for review.'}
        </p>
        <p role="status" className={styles.progress}>
          {review.isPending &&
            review.reviewed > 0 &&
            `${formatCount(review.reviewed)} of ${formatCount(count)} reviewed`}
        </p>
      </ConfirmModal>
    </>
  );
}
