import { listSyncCauses } from '@portal/contract/sync/causes';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { Link } from '@tanstack/react-router';
import { getServerNow } from '../../api/server-clock.ts';
import { SyncHealthChip, SyncStatusChip } from '../../sync/status.tsx';
import { CopyableAddress } from '../../ui/copyable-address.tsx';
import { PlatformText } from '../../ui/platform-text.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import type { DataColumn } from '../../ui/table/data-table.types.ts';
import styles from './sync-dashboards.module.css';

export const resultColumns: readonly DataColumn<SyncIntegration>[] = [
  {
    id: 'status',
    header: 'Status',
    value: ({ status }) => status,
    cell: ({ status }) => <SyncStatusChip status={status} />,
  },
  {
    id: 'appName',
    header: 'Name',
    namesRow: true,
    width: 240,
    value: ({ appName }) => appName,
    cell: (integration) => (
      <span className={styles.name}>
        <Link to="/sync/{-$appid}" params={{ appid: integration.id }} title="Show the log">
          <PlatformText text={integration.appName} />
        </Link>
        {integration.status === 'Halted' && integration.haltReason !== null && (
          <span className={styles.halted}>{integration.haltReason}</span>
        )}
        {listSyncCauses(integration, getServerNow()).map(({ kind, text }) => (
          <span key={kind} className={styles.cause}>
            {text}
          </span>
        ))}
      </span>
    ),
  },
  {
    id: 'health',
    header: 'Health',
    value: ({ health }) => health,
    cell: ({ health }) => <SyncHealthChip health={health} />,
  },
  urlColumn('heliumBaseUrl', 'Helium Base Url'),
  urlColumn('journeyBaseUrl', 'Journey Base Url'),
  timeColumn('heliumLastUpdated', 'Helium Last Updated'),
  timeColumn('journeyLastUpdated', 'Journey Last Updated'),
  timeColumn('lastPinged', 'Last Pinged'),
];

function urlColumn(id: 'heliumBaseUrl' | 'journeyBaseUrl', header: string): DataColumn<SyncIntegration> {
  return {
    id,
    header,
    value: (row) => row[id],
    cell: (row) => (
      <span className={styles.url}>
        <CopyableAddress address={row[id]} />
      </span>
    ),
  };
}

/** A column sorted by time and exported as ISO 8601. */
function timeColumn(
  id: 'heliumLastUpdated' | 'journeyLastUpdated' | 'lastPinged',
  header: string,
): DataColumn<SyncIntegration> {
  return {
    id,
    header,
    wrapsFrom: 90,
    value: (row) => (row[id] === null ? null : new Date(row[id]).toISOString()),
    cell: (row) => <RelativeTime at={row[id]} />,
  };
}
