import { refusedPassword, type SyncBacklog, type SyncIntegration } from '@portal/contract/sync/integration';
import { Link } from '@tanstack/react-router';
import { useNow } from '../../../api/use-now.ts';
import { formatDuration, formatExactMs } from '../../../format/durations.ts';
import { formatCount, formatPlural } from '../../../format/numbers.ts';
import { SyncHealthButton, SyncStatusChip } from '../../../sync/status.tsx';
import { CheckBox } from '../../../ui/check-box.tsx';
import { Copyable } from '../../../ui/copyable.tsx';
import { CopyableAddress } from '../../../ui/copyable-address.tsx';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusChip } from '../../../ui/status-chip.tsx';
import type { DataColumn } from '../../../ui/table/data-table.types.ts';
import { ActivityButton } from '../activity/activity-button.tsx';
import { formatLag, isWaiting } from '../direction-status.ts';
import { formatConflictCount } from '../records/conflicts/format-conflict-count.ts';
import type { Overlay } from '../sync-address.ts';
import { ConflictMark } from './conflict-mark.tsx';
import styles from './integration-list.module.css';

/** The id column is hidden at this width or less, and on mobile devices. */
const narrowPx = 750;
const isMobile = /Mobi|Android|iPhone|iPad/i.test(navigator.userAgent);

export function integrationColumns(props: {
  selected: ReadonlySet<string>;
  onSelect: (appId: string, isSelected: boolean) => void;
  onOpen: (overlay: Overlay) => void;
}): readonly DataColumn<SyncIntegration>[] {
  const { selected, onSelect, onOpen } = props;
  return [
    {
      id: 'status',
      header: 'Status',
      value: ({ status }) => status,
      cell: (integration) => (
        <>
          <span className={styles.status}>
            <CheckBox
              aria-label={`Select ${integration.appName}`}
              checked={selected.has(integration.id)}
              onChange={(isSelected) => onSelect(integration.id, isSelected)}
            />
            <SyncStatusChip status={integration.status} />
          </span>
          <ConflictMark integration={integration} onOpen={onOpen} />
        </>
      ),
    },
    {
      id: 'appName',
      header: 'Name',
      namesRow: true,
      value: ({ appName }) => appName,
      cell: (integration) => (
        <div className={styles.name}>
          <PlatformText text={integration.appName} />
          <ActivityButton integration={integration} onOpen={onOpen} />
          <Warnings integration={integration} onOpen={onOpen} />
        </div>
      ),
    },
    {
      id: 'id',
      header: 'App ID',
      value: ({ id }) => id,
      cell: ({ id }) => (
        <span className={styles.id}>
          <Copyable value={id} label="Copy the app id" />
        </span>
      ),
      hideBelow: isMobile ? Number.POSITIVE_INFINITY : narrowPx + 1,
    },
    {
      id: 'health',
      header: 'Health',
      value: ({ health }) => health,
      cell: ({ id, health }) => (
        <SyncHealthButton health={health} onClick={() => onOpen({ kind: 'records', appId: id })} />
      ),
    },
    {
      id: 'lag',
      header: 'Lag',
      value: (integration) =>
        integration.status === 'Enabled'
          ? Math.max(integration.heliumToJourneyLagMs, integration.journeyToHeliumLagMs)
          : null,
      cell: (integration) => (
        <span className={styles.lags}>
          {integration.status === 'Enabled' ? (
            <>
              <Lag to="Journey" lagMs={integration.heliumToJourneyLagMs} />
              <Lag to="Helium" lagMs={integration.journeyToHeliumLagMs} />
            </>
          ) : (
            <Backlogs integration={integration} />
          )}
        </span>
      ),
      width: 112,
    },
    {
      id: 'heliumBaseUrl',
      header: 'Helium Base Url',
      value: ({ heliumBaseUrl }) => heliumBaseUrl,
      cell: ({ heliumBaseUrl }) => <Url url={heliumBaseUrl} />,
    },
    {
      id: 'journeyBaseUrl',
      header: 'Journey Base Url',
      value: ({ journeyBaseUrl }) => journeyBaseUrl,
      cell: ({ journeyBaseUrl }) => <Url url={journeyBaseUrl} />,
    },
    {
      id: 'troubles',
      header: 'Held records',
      value: ({ waiting, parked, deadLetters, skipped }) => waiting + parked + deadLetters + skipped,
      align: 'right',
      optional: true,
    },
    {
      id: 'conflicts',
      header: 'Conflicts',
      value: ({ conflicts }) => conflicts,
      cell: ({ conflicts }) => formatConflictCount(conflicts),
      align: 'right',
      optional: true,
    },
    {
      id: 'waitingFiles',
      header: 'Waiting files',
      value: ({ waitingFiles }) => waitingFiles,
      align: 'right',
      optional: true,
    },
    {
      id: 'rounded',
      header: 'Rounded in Journey',
      value: ({ rounded }) => rounded,
      align: 'right',
      optional: true,
    },
    {
      id: 'waitingEnrollment',
      header: 'Waiting enrollment',
      value: ({ waitingEnrollment }) => waitingEnrollment,
      align: 'right',
      optional: true,
    },
    {
      id: 'haltReason',
      header: 'Halt reason',
      value: ({ haltReason }) => haltReason,
      optional: true,
    },
  ];
}

function Lag({ to, lagMs }: { to: 'Helium' | 'Journey'; lagMs: number }) {
  return (
    <span title={`Oldest change waiting to sync to ${to}: ${formatExactMs(Math.round(lagMs))}`}>
      <span className="note">to {to}</span> {formatLag(lagMs)}
    </span>
  );
}

/** What waits in both logs while nothing runs. */
function Backlogs({ integration: { changeLogBacklog, oplogBacklog } }: { integration: SyncIntegration }) {
  if (changeLogBacklog === null && oplogBacklog === null) return '–';
  return (
    <>
      {changeLogBacklog && <Backlog to="Journey" backlog={changeLogBacklog} />}
      {oplogBacklog && <Backlog to="Helium" backlog={oplogBacklog} />}
    </>
  );
}

function Backlog({ to, backlog: { entries, since } }: { to: 'Helium' | 'Journey'; backlog: NonNullable<SyncBacklog> }) {
  return (
    <span className={styles.backlog} title={`Entries in the log that are not synced to ${to} yet`}>
      <span className="note">to {to}</span> {formatCount(entries)}
      {since !== null && (
        <>
          {' '}
          <Waiting since={since} />
        </>
      )}
    </span>
  );
}

function Waiting({ since }: { since: number }) {
  const now = useNow(15_000);
  return <span className={styles.duration}>for {formatDuration(now - since)}</span>;
}

function Url({ url }: { url: string }) {
  return (
    <span className={styles.url}>
      <CopyableAddress address={url} />
    </span>
  );
}

/**
 * What needs attention: the halt reason, the waiting records, what is not synced and who holds the
 * change log. Each links to its details.
 */
function Warnings({ integration, onOpen }: { integration: SyncIntegration; onOpen: (overlay: Overlay) => void }) {
  const { id, status, haltReason, haltedSince, needsDecision, horizonHeldBy, mappingWarnings } = integration;
  const { pausedObjects, keptRows } = integration;
  const { deadLetters, waiting, parked, skipped, waitingFiles, failedFiles, waitingEnrollment } = integration;
  const held = [
    { tab: 'dead', count: deadLetters, label: formatPlural(deadLetters, 'dead letter') },
    { tab: 'waiting', count: waiting, label: `${formatCount(waiting)} waiting` },
    { tab: 'parked', count: parked, label: `${formatCount(parked)} parked` },
    { tab: 'skipped', count: skipped, label: `${formatCount(skipped)} skipped` },
    { tab: 'skipped', count: keptRows, label: formatPlural(keptRows, 'kept row') },
    {
      tab: 'files',
      count: waitingFiles,
      label: `${formatPlural(waitingFiles, 'waiting file')}${failedFiles > 0 ? ` (${formatCount(failedFiles)} failed)` : ''}`,
    },
    { tab: 'enrollment', count: waitingEnrollment, label: `${formatCount(waitingEnrollment)} waiting in enrollment` },
  ].filter(({ count }) => count > 0);
  const [first] = held;
  return (
    <>
      {needsDecision && (
        <button
          type="button"
          className={styles.decision}
          title="Show the question and its answers"
          onClick={() => onOpen({ kind: 'records', appId: id })}
        >
          <StatusChip tone="danger" label="Needs a decision" />
        </button>
      )}
      {status === 'Halted' && (
        <span className={styles.halted}>
          <button type="button" title="Show the log" onClick={() => onOpen({ kind: 'logs', appId: id })}>
            {haltReason ?? 'Halted'}
          </button>
          {haltReason?.startsWith(refusedPassword) && (
            <Link to="/sync/form/{-$appid}" params={{ appid: id }} search={{ fix: 'password' }}>
              Fix password
            </Link>
          )}
          {haltedSince !== null && (
            <span className={styles.since}>
              since <RelativeTime at={haltedSince} />
            </span>
          )}
        </span>
      )}
      {status === 'Enabled' && <Obstacle integration={integration} onOpen={onOpen} />}
      {pausedObjects.count > 0 && (
        <button
          type="button"
          className={styles.waiting}
          title="Not synced until the integration is saved. Shows the objects and why."
          onClick={() => onOpen({ kind: 'objects', appId: id })}
        >
          {formatPlural(pausedObjects.count, 'paused object')}
        </button>
      )}
      {first && (
        <button
          type="button"
          className={styles.waiting}
          onClick={() => onOpen({ kind: 'records', appId: id, tab: first.tab })}
        >
          {held.map(({ label }) => label).join(', ')}
        </button>
      )}
      {mappingWarnings.count > 0 && (
        <button
          type="button"
          className={styles.waiting}
          title="Fields that are not synced, and columns that reject new records from Journey"
          onClick={() => onOpen({ kind: 'info', appId: id })}
        >
          {formatPlural(mappingWarnings.count, 'mapping warning')}
        </button>
      )}
      {horizonHeldBy !== null && status === 'Enabled' && (
        <span className={styles.held}>Change log {horizonHeldBy}</span>
      )}
    </>
  );
}

/** What the first direction that waits reports, as far as two lines have room for it. */
function Obstacle({ integration, onOpen }: { integration: SyncIntegration; onOpen: (overlay: Overlay) => void }) {
  const { id, heliumSyncStatus, journeySyncStatus } = integration;
  const text = [heliumSyncStatus, journeySyncStatus].find(isWaiting);
  if (text === undefined) return null;
  return (
    <button
      type="button"
      className={styles.obstacle}
      title={`${text} Opens the records, with Try now.`}
      onClick={() => onOpen({ kind: 'records', appId: id })}
    >
      {text}
    </button>
  );
}
