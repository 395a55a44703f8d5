import { Modal } from '@mantine/core';
import { PlatformText } from '../../ui/platform-text.tsx';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { listSyncCauses } from '@portal/contract/sync/causes';
import { dashboardTexts } from '@portal/contract/sync/dashboards';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { useEffect } from 'react';
import { getServerNow } from '../../api/server-clock.ts';
import { formatDuration } from '../../format/durations.ts';
import { useSession } from '../../session/use-session.ts';
import { countByState, getTone, sortBySeverity } from '../../sync/severity.ts';
import { SyncHealthChip, SyncStatusChip } from '../../sync/status.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { RefreshControl } from './refresh-control.tsx';
import type { RefreshTimer } from './refresh-timer.ts';
import styles from './wallboard.module.css';

/** The results in full screen, the worst first, readable from across a room. */
export function Wallboard(props: {
  name: string;
  results: { readonly data: readonly SyncIntegration[] | undefined; readonly error: unknown };
  timer: RefreshTimer;
  emptyText: string;
  opened: boolean;
  onClose: () => void;
}) {
  const { name, results, timer, opened, onClose } = props;
  const { session } = useSession();
  useFullScreen(opened);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      fullScreen
      title={`${name} · ${session.environment.name}`}
      classNames={{ title: styles.title ?? '', content: styles.content ?? '' }}
      closeButtonProps={{ 'aria-label': 'Close the wallboard', size: 'lg' }}
    >
      <div className={styles.head}>
        <ul className={styles.summary}>
          {countByState(results.data ?? [])
            .filter(({ count }) => count > 0)
            .map(({ name: state, count, tone }) => (
              <li key={state} data-tone={tone}>
                <strong>{count}</strong> {state}
              </li>
            ))}
        </ul>
        <div className={styles.control}>
          <RefreshControl timer={timer} />
        </div>
      </div>
      {results.error !== null && (
        <ProblemNote
          title={dashboardTexts.lookingUpResults}
          problem={results.error}
          hasStaleData={results.data !== undefined}
          onRetry={timer.refreshNow}
        />
      )}
      {results.data?.length === 0 && <Empty text={props.emptyText} />}
      <ul className={styles.tiles}>
        {sortBySeverity(results.data ?? []).map((integration) => (
          <Tile key={integration.id} integration={integration} />
        ))}
      </ul>
    </Modal>
  );
}

function Tile({ integration }: { integration: SyncIntegration }) {
  const lagMs = Math.max(integration.heliumToJourneyLagMs, integration.journeyToHeliumLagMs);
  const causes = listSyncCauses(integration, getServerNow());
  return (
    <li className={styles.tile} data-tone={getTone(integration)}>
      <h3>
        <PlatformText text={integration.appName} />
      </h3>
      <div className="wrap">
        <SyncStatusChip status={integration.status} />
        {integration.status === 'Enabled' && <SyncHealthChip health={integration.health} />}
      </div>
      {integration.status === 'Halted' && <p>{integration.haltReason}</p>}
      {causes.map(({ kind, text }) => (
        <p key={kind} className={styles.cause}>
          {text}
        </p>
      ))}
      <dl>
        <div>
          <dt>Helium</dt>
          <dd>
            <RelativeTime at={integration.heliumLastUpdated} />
          </dd>
        </div>
        <div>
          <dt>Journey</dt>
          <dd>
            <RelativeTime at={integration.journeyLastUpdated} />
          </dd>
        </div>
        <div>
          <dt>Pinged</dt>
          <dd>
            <RelativeTime at={integration.lastPinged} />
          </dd>
        </div>
        {integration.status === 'Enabled' && lagMs > 0 && (
          <div>
            <dt>Waiting</dt>
            <dd>{formatDuration(lagMs)}</dd>
          </div>
        )}
      </dl>
    </li>
  );
}

/**
 * Requests full screen. Browsers allow it after a click but not for a link; the dialog then fills
 * the window only.
 */
function useFullScreen(isActive: boolean): void {
  useEffect(() => {
    if (!isActive || !document.fullscreenEnabled) return;
    document.documentElement.requestFullscreen().catch(() => {});
    return () => {
      if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
    };
  }, [isActive]);
}
