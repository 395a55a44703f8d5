import { IconLock, IconLockOpen, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useEnabling } from '../../features/sync/list/use-enabling.tsx';
import { useSelection } from '../../features/sync/list/use-selection.ts';
import { useAppRefusal } from '../../session/use-subject-refusal.ts';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { ReleaseAppRow } from './release-app-row.tsx';
import styles from './release-apps.module.css';
import { useLocking } from './use-locking.tsx';
import type { ReleaseAppsLoad } from './use-release-apps.ts';

/** The apps of a release and their state. One or all can be locked, or their sync disabled. */
export function ReleaseApps({ apps: { rows, integrations }, isOver }: { apps: ReleaseAppsLoad; isOver: boolean }) {
  const locking = useLocking();
  const enabling = useEnabling(useSelection(integrations.data, integrations.data));
  const ids = rows.flatMap(({ app }) => (app === null ? [] : [app.id]));
  const lockRefusal = useAppRefusal('config.change', ...ids);
  const syncRefusal = useAppRefusal('sync.change', ...ids);
  const known = rows.flatMap(({ app, config }) => (app && config ? [{ app, config }] : []));
  const synced = rows.flatMap(({ integration }) => (integration ? [integration] : []));
  const toLock = known.filter(({ config }) => !config.locked);
  const toUnlock = known.filter(({ config }) => config.locked);
  const toDisable = synced.filter(({ status }) => status !== 'Disabled');
  const toEnable = synced.filter(({ status }) => status === 'Disabled');
  const busy = locking.isPending || enabling.isPending ? 'Another change is being saved.' : null;
  const noneSynced = synced.length === 0 ? 'No app of this release is synced.' : null;
  const buttons = [
    {
      label: 'Lock all',
      Icon: IconLock,
      reason: lockRefusal ?? (toLock.length === 0 ? 'All apps are locked.' : null),
      onClick: () => locking.setLocked(toLock, true),
    },
    {
      label: 'Unlock all',
      Icon: IconLockOpen,
      reason: lockRefusal ?? (toUnlock.length === 0 ? 'No app is locked.' : null),
      onClick: () => locking.setLocked(toUnlock, false),
    },
    {
      label: 'Disable all sync',
      Icon: IconPlayerStop,
      reason: syncRefusal ?? noneSynced ?? (toDisable.length === 0 ? 'All sync is disabled.' : null),
      onClick: () => enabling.askToDisable(toDisable),
    },
    {
      label: 'Enable all sync',
      Icon: IconPlayerPlay,
      reason: syncRefusal ?? noneSynced ?? (toEnable.length === 0 ? 'No sync is disabled.' : null),
      onClick: () => enabling.askToEnable(toEnable),
    },
  ];
  return (
    <section className="stack-s" aria-labelledby="release-apps">
      <h2 id="release-apps">Apps</h2>
      {rows.length > 1 && !isOver && (
        <div className="wrap">
          {buttons.map(({ label, Icon, reason, onClick }) => (
            <ExplainedButton
              key={label}
              variant="default"
              size="xs"
              leftSection={<Icon size={14} stroke={1.7} aria-hidden />}
              reason={reason ?? busy}
              onClick={onClick}
            >
              {label}
            </ExplainedButton>
          ))}
        </div>
      )}
      {integrations.isError && (
        <ProblemNote problem={integrations.error} onRetry={() => void integrations.refetch()} hasStaleData={false} />
      )}
      <ul className={styles.apps}>
        {rows.map((row) => (
          <ReleaseAppRow key={row.id} row={row} locking={locking} enabling={enabling} busy={busy} />
        ))}
      </ul>
      {locking.dialog}
      {enabling.dialog}
    </section>
  );
}
