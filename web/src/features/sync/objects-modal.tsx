import { Button } from '@mantine/core';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import type { SyncObject } from '@portal/contract/sync-objects';
import { IconRefresh } from '@tabler/icons-react';
import { type DataColumn, DataTable } from '../../ui/data-table.tsx';
import { formatCount } from '../../ui/duration.ts';
import { IntegrationModal } from './integration-modal.tsx';
import styles from './sync.module.css';
import { useSyncObjects } from './use-integrations.ts';
import type { Shown } from './use-shown.ts';

export function ObjectsModal(props: { shown: Shown; isOpen: boolean; onClose: () => void }) {
  return (
    <IntegrationModal {...props} title={({ appName }) => `Sync Objects of ${appName}`} size="min(1000px, 96vw)">
      {(integration) => <Objects key={integration.id} integration={integration} />}
    </IntegrationModal>
  );
}

function Objects({ integration }: { integration: SyncIntegration }) {
  const objects = useSyncObjects(integration);
  return (
    <DataTable
      name="Sync Objects"
      rows={objects.data}
      rowId={({ platform, type, objectName }) => `${platform}/${type}/${objectName}`}
      columns={columns}
      defaultSort={{ id: 'objectName', descending: false }}
      loading={objects.isFetching}
      error={objects.error}
      onRetry={() => void objects.refetch()}
      rowTone={({ difference }) => (difference ? 'warning' : null)}
      emptyText="Neither side holds an object."
      csvName={`sync-objects-${integration.appName}`}
      addressPrefix="objects"
      toolbar={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconRefresh size={14} stroke={1.6} aria-hidden />}
          loading={objects.isFetching}
          onClick={() => void objects.refetch()}
        >
          Count again
        </Button>
      }
    />
  );
}

const columns: readonly DataColumn<SyncObject>[] = [
  { id: 'platform', header: 'Platform', value: ({ platform }) => platform },
  { id: 'type', header: 'Type', value: ({ type }) => type },
  { id: 'objectName', header: 'Object Name', value: ({ objectName }) => objectName },
  {
    id: 'objectCount',
    header: 'Object Count',
    value: ({ objectCount }) => objectCount,
    cell: ({ objectCount }) =>
      objectCount === null ? (
        <span className={styles.quiet} title="It could not be counted in time.">
          not counted
        </span>
      ) : (
        formatCount(objectCount)
      ),
    align: 'right',
  },
  {
    id: 'counterpart',
    header: 'On the other side',
    value: ({ counterpart }) => counterpart ?? null,
    cell: ({ counterpart }) => counterpart ?? <span className={styles.quiet}>nothing of that name</span>,
  },
  {
    id: 'difference',
    header: 'Difference',
    value: ({ difference }) => difference ?? null,
    cell: ({ difference }) => describeDifference(difference ?? null),
    align: 'right',
  },
];

function describeDifference(difference: number | null) {
  if (difference === null) return '–';
  if (difference === 0) return <span className={styles.quiet}>none</span>;
  return (
    <strong title="How many more than on the other side.">
      {difference > 0 ? `+${formatCount(difference)}` : formatCount(difference).replace('-', '−')}
    </strong>
  );
}
