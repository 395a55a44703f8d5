import { Skeleton } from '@mantine/core';
import { type AuditEntry, getRecentChanges } from '@portal/contract/audit';
import { Link } from '@tanstack/react-router';
import { useCall } from '../../api/use-call.ts';
import { appChanges } from '../../apps/app-config.ts';
import { useRefusal } from '../../session/use-session.ts';
import { PlatformText } from '../../ui/platform-text.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import styles from './recent-changes.module.css';
import { FirstItems } from './section/first-items.tsx';
import { Section } from './section/section.tsx';

const maxShown = 4;

/** The latest changes by anyone in this environment. */
export function RecentChanges() {
  const refusal = useRefusal('audit.view');
  const changes = useCall(getRecentChanges, undefined, {
    enabled: refusal === null,
    refetchInterval: 60_000,
    invalidatedBy: appChanges,
  });
  return (
    <Section title="Recent changes" more={refusal === null ? <Link to="/audit">All changes</Link> : null}>
      {refusal !== null && <p className={styles.none}>{refusal}</p>}
      {changes.error && (
        <ProblemNote
          problem={changes.error}
          hasStaleData={changes.data !== undefined}
          onRetry={() => void changes.refetch()}
        />
      )}
      {refusal === null && changes.isPending && <Lines />}
      {changes.data && <Changes entries={changes.data} />}
    </Section>
  );
}

function Changes({ entries }: { entries: readonly AuditEntry[] }) {
  if (entries.length === 0) return <p className={styles.none}>No app has been changed yet.</p>;
  return (
    <FirstItems items={entries} max={maxShown} count={entries.length} noun="change">
      {(shown) => <ChangeList entries={shown} />}
    </FirstItems>
  );
}

function ChangeList({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <ul className="entries">
      {entries.map((entry) => (
        <li key={entry.id}>
          <span className="text">
            {entry.resource ? (
              <Link
                className="text-link"
                to={entry.action === 'functions.toggle' ? '/scheduledfunctions/$appid' : '/config/$appid'}
                params={{ appid: entry.resource }}
              >
                <PlatformText text={entry.resourceName ?? entry.resource} />
              </Link>
            ) : null}{' '}
            {entry.description}
            {entry.outcome !== 'done' && (
              <>
                {' '}
                <StatusChip tone="danger" label={entry.outcome === 'failed' ? 'Failed' : 'Refused'} />
              </>
            )}
          </span>
          <span className="note">
            {entry.username} · <RelativeTime at={entry.at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Lines() {
  return (
    <div className="entries" aria-busy="true">
      {[70, 55, 80, 62].map((width) => (
        <div key={width}>
          <Skeleton height={12} width={`${width}%`} />
        </div>
      ))}
    </div>
  );
}
