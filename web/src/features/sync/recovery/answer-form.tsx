import { Button, TextInput } from '@mantine/core';
import { deleteConfirmation, type RecoveryAnswer, type RecoveryQuestion } from '@portal/contract/sync/recovery';
import { type FormEvent, useId, useState } from 'react';
import { formatPlural } from '../../../format/numbers.ts';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { StatusChip } from '../../../ui/status-chip.tsx';
import styles from './recovery.module.css';
import { type AnswerOption, getOptions, sideNames } from './recovery-texts.ts';

/** Chooses an answer. The default deletes nothing; one that deletes or clears must be confirmed. */
export function AnswerForm(props: {
  question: RecoveryQuestion;
  refusal: string | null;
  isPending: boolean;
  onAnswer: (option: AnswerOption, confirmation: string) => void;
}) {
  const { question, refusal, isPending, onAnswer } = props;
  const options = getOptions(question);
  const [answer, setAnswer] = useState<RecoveryAnswer | undefined>(options[0]?.answer);
  const [confirmation, setConfirmation] = useState('');
  const nextId = useId();
  const chosen = options.find((option) => option.answer === answer);
  if (!chosen) return null;
  const canAnswer = !chosen.needsConfirmation || confirmation === deleteConfirmation;
  const choose = (option: AnswerOption) => {
    setAnswer(option.answer);
    setConfirmation('');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (refusal === null && canAnswer && !isPending) onAnswer(chosen, confirmation);
  };
  return (
    <form onSubmit={submit} className="stack">
      <fieldset>
        <legend className={styles.legend}>How should it continue?</legend>
        <div className={styles.options}>
          {options.map((option) => (
            <Option
              key={option.answer}
              option={option}
              isClearing={question.kind === 'clearings'}
              isChosen={option === chosen}
              isDisabled={refusal !== null || isPending}
              onChoose={() => choose(option)}
            />
          ))}
        </div>
      </fieldset>
      <p id={nextId} className="note">
        <strong>Next:</strong> {chosen.next}
      </p>
      {chosen.needsConfirmation && refusal === null && (
        <TextInput
          label={`Type ${deleteConfirmation} to confirm`}
          description={describeLoss(chosen)}
          autoComplete="off"
          spellCheck={false}
          value={confirmation}
          onChange={(event) => setConfirmation(event.currentTarget.value)}
        />
      )}
      {refusal !== null && <p className="note">{refusal}</p>}
      <div className={styles.action}>
        {refusal === null ? (
          <Button
            type="submit"
            aria-describedby={nextId}
            {...(chosen.needsConfirmation && { color: 'red' })}
            disabled={!canAnswer}
            loading={isPending}
          >
            {chosen.action}
          </Button>
        ) : (
          <ExplainedButton reason={refusal} onClick={() => undefined}>
            {chosen.action}
          </ExplainedButton>
        )}
      </div>
    </form>
  );
}

function describeLoss({ deleted, cleared }: AnswerOption): string {
  return cleared > 0
    ? `${formatPlural(cleared, 'value')} will be cleared.`
    : `${formatPlural(deleted, 'record')} will be deleted.`;
}

function Option(props: {
  option: AnswerOption;
  /** Whether the question is about values instead of records. */
  isClearing: boolean;
  isChosen: boolean;
  isDisabled: boolean;
  onChoose: () => void;
}) {
  const { option, isClearing, isChosen, isDisabled, onChoose } = props;
  const id = useId();
  return (
    <label className={styles.option} data-checked={isChosen || undefined}>
      <input
        type="radio"
        name="recovery-answer"
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-details`}
        checked={isChosen}
        disabled={isDisabled}
        onChange={onChoose}
      />
      <span className={styles.optionText}>
        <span className="row">
          <strong id={`${id}-label`}>{option.label}</strong>
          {option.deleted > 0 && (
            <StatusChip tone="danger" label={`Deletes ${formatPlural(option.deleted, 'record')}`} />
          )}
          {option.cleared > 0 && <StatusChip tone="danger" label={`Clears ${formatPlural(option.cleared, 'value')}`} />}
          {option.deleted + option.cleared === 0 && (
            <StatusChip tone="success" label={`Safe: ${isClearing ? 'clears' : 'deletes'} nothing`} />
          )}
        </span>
        <span id={`${id}-details`} className="column">
          {option.effects.map(({ side, text }) => (
            <span key={side} className="numbers">
              {sideNames[side]}: {text}.{' '}
            </span>
          ))}
          <span className="note">{option.description}</span>
        </span>
      </span>
    </label>
  );
}
