import { CloseButton } from '@mantine/core';
import type { AccessGrant } from '@portal/contract/schema-access';
import { useEffect, useRef } from 'react';
import { withTitle } from '../../../api/with-title.ts';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { StatusChip } from '../../../ui/status-chip.tsx';
import { ActionList } from '../plan/action-list.tsx';
import styles from '../schema-access.module.css';
import { type AccessResult, getHeadline } from './access-result.ts';
import { GrantReceipt } from './grant-receipt.tsx';

/** Shows the result of the last grant, revert or generation, and scrolls into view. */
export function ResultsCard(props: {
  result: AccessResult;
  onDismiss: () => void;
  onRevert: (grant: AccessGrant) => void;
}) {
  const { result } = props;
  const card = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each result is to be seen
  useEffect(() => {
    card.current?.scrollIntoView({ block: 'nearest' });
  }, [result]);
  return (
    <section ref={card} className={styles.results} aria-labelledby="access-results">
      <div className={styles.resultsHead}>
        <h2 id="access-results">Results</h2>
        <Outcome result={result} />
        <CloseButton className={styles.dismiss} aria-label="Dismiss results" onClick={props.onDismiss} />
      </div>
      {result.kind === 'generated' && (
        <>
          <p>
            {result.actions.length === 0 ? (
              <>
                There is nothing to run: all objects in <strong>{result.schemaName}</strong> already belong to{' '}
                <strong>{result.team}</strong>.
              </>
            ) : (
              <>
                This SQL makes <strong>{result.team}</strong> the owner of all objects in{' '}
                <strong>{result.schemaName}</strong>. Nothing has been run; run it yourself.
              </>
            )}
          </p>
          {result.readsCatalog && (
            <p className="note">
              None of your apps has the schema {result.schemaName}, so this script works on any schema of that name: it
              reads the objects from the catalogs of the database you run it in.
            </p>
          )}
          <ActionList actions={result.actions} label="Generated SQL" theme="monokai" />
        </>
      )}
      {result.kind === 'done' && (
        <>
          <p>{getHeadline(result)}</p>
          {result.grantId === null ? (
            <ActionList actions={result.actions} label="Statements that ran" />
          ) : (
            <GrantReceipt grantId={result.grantId} onRevert={props.onRevert} />
          )}
        </>
      )}
      {result.kind === 'failed' && (
        <>
          <ProblemNote problem={withTitle(result.title, result.problem)} />
          <ActionList actions={result.actions} label="Statements, rolled back" />
        </>
      )}
    </section>
  );
}

function Outcome({ result }: { result: AccessResult }) {
  if (result.kind === 'failed') return <StatusChip tone="danger" label="Failed, nothing was changed" />;
  if (result.actions.length === 0) return <StatusChip tone="neutral" label="Nothing to change" />;
  if (result.kind === 'generated') return <StatusChip tone="primary" label="Generated, not run" />;
  // Otherwise the receipt shows its own state, which may change while it is open.
  return null;
}
