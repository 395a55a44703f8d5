import type { MissingPrerequisite, StatsContext } from '@portal/contract/db-spy';
import { IconInfoCircle } from '@tabler/icons-react';
import { CopyButton } from '../../../ui/copyable.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from '../db-spy.module.css';
import type { StatsLoad } from '../use-stats.ts';

/**
 * What the numbers cover: the server, the time and the matching rule, and what is missing from
 * them.
 */
export function StatsScope({ load, isRange }: { load: StatsLoad<unknown>; isRange: boolean }) {
  const { data, error } = load.context;
  // If the statements failed to load as well, they report the problem themselves.
  if (error && !data && load.stats.data) {
    return <ProblemNote problem={error} onRetry={() => void load.context.refetch()} />;
  }
  // The empty line reserves the space while loading.
  return data ? <Scope context={data} isRange={isRange} /> : <div className={styles.scope} />;
}

function Scope({ context, isRange }: { context: StatsContext; isRange: boolean }) {
  const isFrom = isRange && context.range.from !== null;
  const since = isFrom ? context.range.from : context.lastReset;
  return (
    <div className={styles.scope}>
      <p className={styles.about}>
        <span>
          {context.dataSource}{' '}
          <span className="quiet">
            ({context.dbName} on {context.hostname})
          </span>
        </span>
        <span>PostgreSQL {context.serverVersion}</span>
        <span>
          {since === null ? (
            'Last reset unknown'
          ) : (
            <>
              {isFrom ? 'Counted from' : 'Last reset'} <RelativeTime at={since} />
            </>
          )}
        </span>
        {context.rule && (
          <span>
            Statements{' '}
            {context.rule.role !== null && (
              <>
                run by <code>{context.rule.role}</code> or{' '}
              </>
            )}
            mentioning <code>{context.rule.schemaName}</code>
          </span>
        )}
      </p>
      {context.range.notes.map((note) => (
        <p key={note} className={styles.remark}>
          <IconInfoCircle size={15} stroke={1.6} aria-hidden />
          {note}
        </p>
      ))}
      {context.missing.map((missing) => (
        <MissingNote key={missing.message} missing={missing} />
      ))}
    </div>
  );
}

/** What the server does not record, and the SQL an administrator can run to change that. */
function MissingNote({ missing: { message, remedy } }: { missing: MissingPrerequisite }) {
  return (
    <div className={styles.missing} role="note">
      <IconInfoCircle size={16} stroke={1.6} aria-hidden />
      <div>
        {message}
        {remedy !== null && (
          <span className={styles.remedy}>
            <code>{remedy}</code>
            <CopyButton value={remedy} label="Copy the fix" />
          </span>
        )}
      </div>
    </div>
  );
}
