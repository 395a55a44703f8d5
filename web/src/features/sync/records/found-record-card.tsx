import type { FoundRecord, FoundSide, SearchedObject } from '@portal/contract/sync/find';
import type { HeldRecord } from '@portal/contract/sync/records';
import type { ReactNode } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusChip } from '../../../ui/status-chip.tsx';
import type { Tone } from '../../../ui/tone.ts';
import { directionLabels } from '../direction-status.ts';
import styles from './find-record.module.css';
import { LinkedReason, type RecordName } from './record-links.tsx';
import { describeValues, formatValue } from './side-values.tsx';
import { Trail } from './trail.tsx';
import { useLookAgain } from './use-found-records.ts';
import { useRetryHeld, useSkipHeld } from './use-records.ts';
import { Whereabouts } from './whereabouts.tsx';

interface CardProps {
  readonly record: FoundRecord;
  /** Its table; undefined if it is not known how it is synced. */
  readonly object: SearchedObject | undefined;
  readonly onFind: (record: RecordName) => void;
  readonly isLoggingIds: boolean;
  /** Whether the sync's own state could be read. */
  readonly isStateKnown: boolean;
  readonly appId: string;
  readonly refusal: string | null;
}

const heldStates: Readonly<Record<HeldRecord['state'], { readonly label: string; readonly tone: Tone }>> = {
  dead: { label: 'Dead letter', tone: 'danger' },
  waiting: { label: 'Waiting', tone: 'warning' },
  parked: { label: 'Parked', tone: 'warning' },
  skipped: { label: 'Skipped', tone: 'neutral' },
};

/** Everything that is known of one record, with the actions on it. */
export function FoundRecordCard(props: CardProps) {
  const { record, object, onFind, isLoggingIds, isStateKnown, appId, refusal } = props;
  const { table, id, conflicts, lines } = record;
  return (
    <article className={styles.card} aria-label={`${table} ${id}`}>
      <header className={styles.header}>
        <h3>{table}</h3>
        <span className={styles.id}>
          <Copyable value={id} label="Copy the id" />
        </span>
        {isStateKnown && <Actions record={record} appId={appId} refusal={refusal} />}
      </header>
      {isStateKnown && <Whereabouts record={record} object={object} onFind={onFind} />}
      <Values record={record} isStateKnown={isStateKnown} />
      {isStateKnown && <Waiting record={record} onFind={onFind} />}
      {conflicts.length > 0 && (
        <Section title="Conflicts">
          {conflicts.map(({ no, at, column, helium, journey, winner, review }) => (
            <li key={no}>
              <RelativeTime at={at} /> <strong>{column ?? 'deleted on one side'}</strong>: Helium {formatValue(helium)},
              Journey {formatValue(journey)}; {winner === 'helium' ? 'Helium' : 'Journey'} won.
              {review && ` Reviewed by ${review.by}.`}
            </li>
          ))}
        </Section>
      )}
      {isStateKnown && <Trail entries={record.trail} />}
      <Section title="Log">
        {lines.map(({ at, level, text }) => (
          <li key={`${at} ${text}`} data-level={level}>
            <span className="note">
              <RelativeTime at={at} />
            </span>{' '}
            {text}
          </li>
        ))}
        {lines.length === 0 && <li className="note">No line of the log names it.</li>}
        {!isLoggingIds && (
          <li className="note">
            The log names only records with problems. To name all, switch on “Log record ids” in the integration’s
            configuration.
          </li>
        )}
      </Section>
    </article>
  );
}

function Actions({ record, appId, refusal }: Pick<CardProps, 'record' | 'appId' | 'refusal'>) {
  const [retry, skip, lookAgain] = [useRetryHeld(), useSkipHeld(), useLookAgain()];
  const { table, id, held, isLookAgainRequested } = record;
  const nos = held.map(({ no }) => no);
  const isSkipped = held.some(({ state }) => state === 'skipped');
  const canSkip = held.some(({ state }) => state !== 'skipped');
  const buttonProps = { variant: 'default', size: 'compact-sm', reason: refusal } as const;
  return (
    <span className={styles.actions}>
      {nos.length > 0 && (
        <ExplainedButton {...buttonProps} loading={retry.isPending} onClick={() => retry.mutate({ appId, nos })}>
          {isSkipped ? 'Resume' : 'Retry'}
        </ExplainedButton>
      )}
      {canSkip && (
        <ExplainedButton {...buttonProps} loading={skip.isPending} onClick={() => skip.mutate({ appId, nos })}>
          Skip
        </ExplainedButton>
      )}
      <ExplainedButton
        {...buttonProps}
        hint={
          isLookAgainRequested
            ? 'Requested, and not done yet'
            : 'Reads the record again on both sides and syncs what differs'
        }
        loading={lookAgain.isPending}
        onClick={() => lookAgain.mutate({ appId, records: [{ table, id }] })}
      >
        Look again
      </ExplainedButton>
    </span>
  );
}

/** The values of both sides and the last known ones, side by side, the differing ones first. */
function Values({ record, isStateKnown }: Pick<CardProps, 'record' | 'isStateKnown'>) {
  const { helium, journey, known, model } = record;
  const sources = [helium.values, journey.values, known?.journey ?? null];
  const fields = [...new Set(sources.flatMap((values) => Object.keys(values ?? {})))].map((field) => {
    const texts = sources.map((values) => (values === null ? '' : formatValue(values[field])));
    const [one, other] = texts;
    return { field, texts, differs: helium.values !== null && journey.values !== null && one !== other };
  });
  return (
    <div className={styles.values}>
      <table aria-label="Values of both sides">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">
              Helium now
              <SideState side={helium} absent="no such row" />
            </th>
            <th scope="col">
              Journey now
              <SideState side={journey} absent={`no such ${model}`} />
            </th>
            {isStateKnown && (
              <th scope="col">
                Last known of Journey
                <span className={styles.sideState}>{describeKnown(record)}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {fields
            .toSorted((a, b) => Number(b.differs) - Number(a.differs))
            .map(({ field, texts, differs }) => (
              <tr key={field} data-differs={differs || undefined}>
                <th scope="row">{field}</th>
                <td data-label="Helium">{texts[0]}</td>
                <td data-label="Journey">{texts[1]}</td>
                {isStateKnown && <td data-label="Known">{texts[2]}</td>}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

function SideState({ side: { values, changedAt, problem }, absent }: { side: FoundSide; absent: string }) {
  return (
    <span className={styles.sideState} data-problem={problem !== null || undefined}>
      {problem ??
        (values === null
          ? absent
          : changedAt !== null && (
              <>
                changed <RelativeTime at={changedAt} />
              </>
            ))}
    </span>
  );
}

function describeKnown({ known }: FoundRecord): ReactNode {
  if (known === null) return 'nothing: Journey is read before anything is written';
  if (known.journey !== null) return 'after the last op-log entry that was read';
  return known.deletedAt === null ? (
    'not in Journey'
  ) : (
    <>
      deleted <RelativeTime at={known.deletedAt} />
    </>
  );
}

const stageTexts = {
  sent: 'no answer yet',
  acknowledged: 'acknowledged, not in the op-log yet',
  superseded: 'replaced by a later write',
} as const;

function Waiting({ record, onFind }: Pick<CardProps, 'record' | 'onFind'>) {
  const { intents, held, isDirty, isLookAgainRequested } = record;
  const isIdle = intents.length === 0 && held.length === 0 && !isDirty && !isLookAgainRequested;
  return (
    <Section title="Waiting">
      {held.map((one) => (
        <li key={one.no}>
          <StatusChip tone={heldStates[one.state].tone} label={heldStates[one.state].label} />{' '}
          {directionLabels[one.direction]}, since <RelativeTime at={one.since} />, {one.attempts}{' '}
          {one.attempts === 1 ? 'attempt' : 'attempts'}
          {one.nextAttempt !== null && (
            <>
              , next <RelativeTime at={one.nextAttempt} />
            </>
          )}
          : <LinkedReason reason={one.reason} missing={one.missing} onFind={onFind} />
        </li>
      ))}
      {intents.map(({ method, stage, sentAt, values }) => (
        <li key={`${sentAt} ${method}`}>
          Sent to Journey <RelativeTime at={sentAt} /> ({method}), {stageTexts[stage]}
          {method !== 'delete' && `: ${describeValues(values)}`}
        </li>
      ))}
      {isDirty && <li>Helium’s row is checked next.</li>}
      {isLookAgainRequested && <li>Both sides are read again on request.</li>}
      {isIdle && <li className="note">Nothing.</li>}
    </Section>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h4>{title}</h4>
      <ul>{children}</ul>
    </section>
  );
}
