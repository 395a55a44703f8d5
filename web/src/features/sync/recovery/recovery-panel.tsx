import { Skeleton } from '@mantine/core';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import type { RecoveryQuestion } from '@portal/contract/sync/recovery';
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { AnswerForm } from './answer-form.tsx';
import { ClearedFields } from './cleared-fields.tsx';
import { ClearedReferences, DeletionsList } from './deletions-list.tsx';
import { DifferenceTable } from './difference-table.tsx';
import styles from './recovery.module.css';
import { type AnswerOption, describeQuestion, getOtherSide, sideNames } from './recovery-texts.ts';
import { useAnswerRecovery, useRecovery } from './use-recovery.ts';

type Tab = 'conflicts' | 'history';

/**
 * The question that halts an integration, with everything needed to answer it, and what follows
 * from the answer. Empty while there is no question.
 */
export function RecoveryPanel(props: {
  integration: SyncIntegration;
  /** Why this user may not answer; null when they may. */
  refusal: string | null;
  onOpenTab: (tab: Tab) => void;
}) {
  const { integration, refusal, onOpenTab } = props;
  const { needsDecision } = integration;
  const recovery = useRecovery(integration);
  const answer = useAnswerRecovery();
  /** The last question shown, and the answer that this user gave to it. */
  const [shown, setShown] = useState<RecoveryQuestion | null>(null);
  const [given, setGiven] = useState<{ readonly questionId: string; readonly option: AnswerOption } | null>(null);
  const question = needsDecision ? (recovery.data?.question ?? null) : null;
  if (question && question.id !== shown?.id) setShown(question);

  if (given && (!question || question.id === given.questionId))
    return <Answered option={given.option} onOpenTab={onOpenTab} />;
  if (needsDecision && !recovery.data)
    return (
      <Unknown reason={integration.haltReason}>
        {recovery.isError ? (
          <ProblemNote problem={recovery.error} onRetry={() => void recovery.refetch()} />
        ) : (
          <Loading />
        )}
      </Unknown>
    );
  if (!question) return shown || needsDecision ? <AnsweredElsewhere onOpenTab={onOpenTab} /> : null;
  return (
    <Question key={question.id} question={question} integration={integration}>
      {recovery.isError && <ProblemNote problem={recovery.error} hasStaleData />}
      <AnswerForm
        question={question}
        refusal={refusal}
        isPending={answer.isPending}
        onAnswer={(option, confirmation) =>
          answer.mutate(
            { appId: integration.id, questionId: question.id, answer: option.answer, confirmation },
            { onSuccess: () => setGiven({ questionId: question.id, option }) },
          )
        }
      />
    </Question>
  );
}

function Question(props: { question: RecoveryQuestion; integration: SyncIntegration; children: ReactNode }) {
  const { question, integration, children } = props;
  const titleId = useId();
  return (
    <section className={styles.panel} aria-labelledby={titleId}>
      <h3 id={titleId} className={styles.title}>
        <IconAlertTriangle size={18} stroke={1.8} aria-hidden />
        {describeQuestion(question)}
      </h3>
      <div className={styles.columns}>
        <div className="stack">
          <Facts question={question} />
          {question.kind === 'restored' && <DifferenceTable objects={question.objects} />}
          {question.kind === 'deletions' && <ClearedReferences question={question} />}
          {question.kind === 'clearings' && <ClearedFields question={question} />}
        </div>
        <div className="stack">{children}</div>
      </div>
      {question.kind !== 'restored' && <DeletionsList integration={integration} question={question} />}
    </section>
  );
}

/** What was found, how it is known, and that nothing was changed. */
function Facts({ question }: { question: RecoveryQuestion }) {
  const side = sideNames[question.side];
  return (
    <>
      <p className={styles.facts}>
        <strong>Nothing was changed or {question.kind === 'clearings' ? 'cleared' : 'deleted'}.</strong> Syncing stopped{' '}
        <RelativeTime at={question.askedAt} /> and waits for your decision.
      </p>
      {question.kind === 'restored' ? (
        <p>
          {question.asOf === null ? (
            `The age of the data in ${side} is unknown.`
          ) : (
            <>
              The newest data in {side} is from <RelativeTime at={question.asOf} />.
            </>
          )}{' '}
          {question.reason}
        </p>
      ) : (
        <p>
          {question.kind === 'deletions' && `They are missing in ${sideNames[getOtherSide(question.side)]}. `}
          {question.reason}
        </p>
      )}
    </>
  );
}

function Answered({ option, onOpenTab }: { option: AnswerOption; onOpenTab: (tab: Tab) => void }) {
  return (
    <Note tone="success">
      <strong>{option.label}.</strong> {option.done} The log shows the progress.
      {option.answer === 'keep-both' && (
        <>
          {' '}
          <button type="button" className="link-button" onClick={() => onOpenTab('conflicts')}>
            Show the conflicts
          </button>
        </>
      )}
    </Note>
  );
}

function AnsweredElsewhere({ onOpenTab }: { onOpenTab: (tab: Tab) => void }) {
  return (
    <Note tone="info">
      The question was answered in the meantime, or is no longer open. The status history shows the decision and its
      author.{' '}
      <button type="button" className="link-button" onClick={() => onOpenTab('history')}>
        Show the status history
      </button>
    </Note>
  );
}

/** Takes the focus, because the form that had it is gone. */
function Note({ tone, children }: { tone: 'success' | 'info'; children: ReactNode }) {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => note.current?.focus(), []);
  const Icon = tone === 'success' ? IconCircleCheck : IconInfoCircle;
  return (
    <div ref={note} role="status" tabIndex={-1} className={styles.note} data-tone={tone}>
      <Icon size={18} stroke={1.7} aria-hidden />
      <p className="grow">{children}</p>
    </div>
  );
}

/** Shows what is known without the question. */
function Unknown({ reason, children }: { reason: string | null; children: ReactNode }) {
  const titleId = useId();
  return (
    <section className={styles.panel} aria-labelledby={titleId}>
      <h3 id={titleId} className={styles.title}>
        <IconAlertTriangle size={18} stroke={1.8} aria-hidden />
        This integration needs a decision
      </h3>
      {reason !== null && <p>{reason}</p>}
      {children}
    </section>
  );
}

function Loading() {
  return (
    <div className={styles.columns} role="status" aria-label="Loading the question">
      <Skeleton height={220} />
      <Skeleton height={220} />
    </div>
  );
}
