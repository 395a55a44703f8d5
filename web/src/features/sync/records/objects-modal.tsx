import { Button } from '@mantine/core';
import type { DriftPoint } from '@portal/contract/sync-drift';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import type { SyncObject } from '@portal/contract/sync-objects';
import { IconRefresh } from '@tabler/icons-react';
import { useMemo } from 'react';
import { formatCount } from '../../../lib/format.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import type { DataColumn } from '../../../ui/data-table.types.ts';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { IntegrationModal } from '../details/integration-modal.tsx';
import type { ShownIntegration } from '../list/use-shown-integration.ts';
import { formatDifference, getTrend } from './drift-line.ts';
import { DriftLegend, DriftTrend } from './drift-trend.tsx';
import { useDrift, useSyncObjects } from './use-comparison.ts';

export function ObjectsModal(props: { shown: ShownIntegration; isOpen: boolean; onClose: () => void }) {
  return (
    <IntegrationModal {...props} title={({ appName }) => `Sync Objects of ${appName}`} size="min(1000px, 96vw)">
      {(integration) => <Objects key={integration.id} integration={integration} />}
    </IntegrationModal>
  );
}

function Objects({ integration }: { integration: SyncIntegration }) {
  const objects = useSyncObjects(integration);
  const drift = useDrift(integration.id);
  const columns = useMemo(() => getColumns(drift.data), [drift.data]);
  const refresh = () => {
    void objects.refetch();
    void drift.refetch();
  };
  return (
    <>
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
        emptyText="Neither side has any objects."
        csvName={`sync-objects-${integration.appName}`}
        addressPrefix="objects"
        toolbar={
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={14} stroke={1.6} aria-hidden />}
            loading={objects.isFetching}
            onClick={refresh}
          >
            Count again
          </Button>
        }
      />
      {objects.data?.some(({ type }) => type === 'View') && <p className="note">{viewReason}</p>}
      {drift.isError ? <ProblemNote problem={drift.error} onRetry={() => void drift.refetch()} /> : <DriftLegend />}
    </>
  );
}

const viewReason = 'Views are not counted: reading a view may run functions that change data.';

const countColumns: readonly DataColumn<SyncObject>[] = [
  { id: 'platform', header: 'Platform', value: ({ platform }) => platform },
  { id: 'type', header: 'Type', value: ({ type }) => type },
  { id: 'objectName', header: 'Object Name', value: ({ objectName }) => objectName },
  {
    id: 'objectCount',
    header: 'Object Count',
    value: ({ objectCount }) => objectCount,
    cell: describeCount,
    align: 'right',
  },
  {
    id: 'counterpart',
    header: 'On the other side',
    value: ({ counterpart }) => counterpart ?? null,
    cell: ({ counterpart }) => counterpart ?? <span className="note">no counterpart</span>,
  },
  {
    id: 'difference',
    header: 'Difference',
    value: ({ difference }) => difference ?? null,
    cell: ({ difference }) => describeDifference(difference ?? null),
    align: 'right',
  },
];

/** @param drift undefined while it is loading or when it could not be loaded */
function getColumns(drift: readonly DriftPoint[] | undefined): readonly DataColumn<SyncObject>[] {
  return [
    ...countColumns,
    {
      id: 'trend',
      header: 'Trend',
      value: (object) =>
        getTrend(object, drift ?? [])
          .map(({ difference }) => formatDifference(difference))
          .join(' '),
      cell: (object) => (drift ? <DriftTrend object={object} drift={drift} /> : '–'),
      sortable: false,
      width: 120,
    },
  ];
}

function describeCount({ type, objectCount }: SyncObject) {
  if (objectCount !== null) return formatCount(objectCount);
  const [text, reason] = type === 'View' ? ['–', viewReason] : ['not counted', 'The count timed out.'];
  return (
    <span className="note" title={reason}>
      {text}
    </span>
  );
}

function describeDifference(difference: number | null) {
  if (difference === null) return '–';
  if (difference === 0) return <span className="note">none</span>;
  return <strong title="How many more records than on the other side">{formatDifference(difference)}</strong>;
}
