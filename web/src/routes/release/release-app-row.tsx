import { Skeleton } from '@mantine/core';
import { IconLock, IconLockOpen, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Enabling } from '../../features/sync/list/use-enabling.tsx';
import { useAppRefusal } from '../../session/use-subject-refusal.ts';
import { SyncHealthChip, SyncStatusChip } from '../../sync/status.tsx';
import { describeProblem } from '../../ui/describe-problem.ts';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import { PlatformText } from '../../ui/platform-text.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import styles from './release-apps.module.css';
import type { useLocking } from './use-locking.tsx';
import type { ReleaseApp } from './use-release-apps.ts';

/** One app of a release: its state, its sync, and what can be done to both. */
export function ReleaseAppRow(props: {
  row: ReleaseApp;
  locking: ReturnType<typeof useLocking>;
  enabling: Enabling;
  busy: string | null;
}) {
  const { row, locking, enabling, busy } = props;
  const { id, name, app, config, integration } = row;
  const lockRefusal = useAppRefusal('config.change', id);
  const syncRefusal = useAppRefusal('sync.change', id);
  if (app === null)
    return (
      <li>
        <PlatformText text={name} /> <span className="note">You have no access to this app.</span>
      </li>
    );
  const lastChange = config?.lastChange;
  const lockChange = config?.locked ? { label: 'Unlock', Icon: IconLockOpen } : { label: 'Lock', Icon: IconLock };
  const syncChange =
    integration?.status === 'Disabled'
      ? { label: 'Enable sync', Icon: IconPlayerPlay, ask: enabling.askToEnable }
      : { label: 'Disable sync', Icon: IconPlayerStop, ask: enabling.askToDisable };
  return (
    <li>
      <div className={styles.app}>
        <Link to="/config/$appid" params={{ appid: id }} className="text-link">
          <PlatformText text={name} />
        </Link>
        {lastChange && (
          <span className="note">
            {lastChange.description} by {lastChange.username}, <RelativeTime at={lastChange.at} />
          </span>
        )}
      </div>
      <div className={styles.part}>
        <span className="wrap">
          {config && (
            <>
              <StatusChip
                tone={config.disabled ? 'danger' : 'success'}
                label={config.disabled ? 'Disabled' : 'Enabled'}
              />
              <StatusChip tone={config.locked ? 'warning' : 'success'} label={config.locked ? 'Locked' : 'Unlocked'} />
            </>
          )}
          {!config && row.problem === null && <Skeleton width={120} height={22} />}
          {row.problem !== null && <span className="note">{describeProblem(row.problem).message}</span>}
        </span>
        <ExplainedButton
          variant="default"
          size="xs"
          leftSection={<lockChange.Icon size={14} stroke={1.7} aria-hidden />}
          aria-label={`${lockChange.label} ${name}`}
          reason={lockRefusal ?? (config ? busy : 'Its state is not known.')}
          onClick={() => config && locking.setLocked([{ app, config }], !config.locked)}
        >
          {lockChange.label}
        </ExplainedButton>
      </div>
      <div className={styles.part}>
        {integration === undefined && <span className="note">Sync is not known.</span>}
        {integration === null && <span className="note">Not synced</span>}
        {integration && (
          <>
            <span className="wrap">
              <Link to="/sync" search={{ app: id }} className={styles.sync}>
                Sync
              </Link>
              <SyncStatusChip status={integration.status} />
              <SyncHealthChip health={integration.health} />
            </span>
            <ExplainedButton
              variant="default"
              size="xs"
              leftSection={<syncChange.Icon size={14} stroke={1.7} aria-hidden />}
              aria-label={`${syncChange.label} of ${name}`}
              reason={syncRefusal ?? busy}
              onClick={() => syncChange.ask([integration])}
            >
              {syncChange.label}
            </ExplainedButton>
          </>
        )}
      </div>
    </li>
  );
}
