import { Radio, TextInput } from '@mantine/core';
import { CheckBox } from '../../../../ui/check-box.tsx';
import '@mantine/core/styles/Radio.layer.css';
import type { SyncConflict } from '@portal/contract/sync/conflicts';
import { createKept, useKeptState } from '../../../../session/use-kept-state.ts';
import { ConfirmModal } from '../../../../ui/confirm-modal.tsx';
import styles from '../records-modal.module.css';
import { describeSide, sideNames } from './conflict-columns.tsx';
import { useReviewConflicts } from './use-conflicts.ts';

const maxLength = 10_000;

const keptConflict = createKept<SyncConflict | null>();
const keptIsOpen = createKept<boolean>();
const keptChoice = createKept<'loser' | 'other'>();
const keptText = createKept<string>();
const keptIsEmpty = createKept<boolean>();

/** Returns a dialog that replaces the value that won: by the other side's, or by any other. */
export function useChangeValueDialog(appId: string) {
  const review = useReviewConflicts();
  // Keeps its value while the dialog closes.
  const [conflict, setConflict] = useKeptState(keptConflict, appId, () => null);
  const [isOpen, setIsOpen] = useKeptState(keptIsOpen, appId, () => false);
  const [choice, setChoice] = useKeptState(keptChoice, appId, () => 'loser');
  const [text, setText] = useKeptState(keptText, appId, () => '');
  const [isEmpty, setIsEmpty] = useKeptState(keptIsEmpty, appId, () => false);
  const ask = (next: SyncConflict) => {
    setConflict(next);
    setChoice('loser');
    setText('');
    setIsEmpty(false);
    setIsOpen(true);
  };
  const close = () => setIsOpen(false);
  const confirm = () => {
    if (!conflict) return;
    const loser = getLoser(conflict);
    const take = choice === 'loser' ? { take: loser } : { take: 'value' as const, value: isEmpty ? null : text };
    review.mutate({ appId, nos: [conflict.no], ...take }, { onSuccess: close });
  };
  const dialog = (
    <ConfirmModal
      opened={isOpen}
      onClose={close}
      title="Change the value"
      confirmLabel="Write to Helium"
      cancelLabel="Cancel"
      isReady={choice === 'loser' || isEmpty || text !== ''}
      pending={review.isPending}
      onConfirm={confirm}
    >
      {conflict && (
        <>
          <p>
            <strong>
              {conflict.table}.{conflict.column}
            </strong>{' '}
            of {conflict.id} is “{describeSide(conflict, conflict.winner)}” now, as {sideNames[conflict.winner]} had it.
            Sync treats the new value as an edit in Helium, so Journey receives it too, where Helium’s changes are sent.
          </p>
          <Radio.Group
            label="New value"
            value={choice}
            onChange={(value) => setChoice(value === 'other' ? 'other' : 'loser')}
          >
            <div className={styles.choices}>
              <Radio
                value="loser"
                label={`${sideNames[getLoser(conflict)]}’s: ${describeSide(conflict, getLoser(conflict))}`}
                data-autofocus
              />
              <Radio value="other" label="Another" />
            </div>
          </Radio.Group>
          {choice === 'other' && (
            <>
              <TextInput
                label="Value"
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
                disabled={isEmpty}
                maxLength={maxLength}
                autoComplete="off"
              />
              <CheckBox label="Empty the column" checked={isEmpty} onChange={setIsEmpty} />
            </>
          )}
        </>
      )}
    </ConfirmModal>
  );
  return { ask, dialog };
}

function getLoser({ winner }: SyncConflict): 'helium' | 'journey' {
  return winner === 'helium' ? 'journey' : 'helium';
}
