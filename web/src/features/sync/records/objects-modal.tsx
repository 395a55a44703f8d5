import { Button } from '@mantine/core';
import type { DriftPoint } from '@portal/contract/sync/drift';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { compareObjects, type Platform, type SyncObject } from '@portal/contract/sync/objects';
import { syncTexts } from '@portal/contract/sync/texts';
import { IconRefresh } from '@tabler/icons-react';
import { useMemo } from 'react';
import { formatCount } from '../../../format/numbers.ts';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { StatusChip } from '../../../ui/status-chip.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { DataColumn } from '../../../ui/table/data-table.types.ts';
import { IntegrationModal } from '../details/integration-modal.tsx';
import type { ShownIntegration } from '../list/use-shown-integration.ts';
import { formatDifference, getTrend } from './drift-line.ts';
import { DriftLegend, DriftTrend } from './drift-trend.tsx';
import { useDrift, useSyncObjects } from './use-comparison.ts';

export function ObjectsModal(props: { shown: ShownIntegration; isOpen: boolean; onClose: () => void }) {
  return (
    <IntegrationModal
      {...props}
      title={({ appName }) => (
        <>
          Sync Objects of <PlatformText text={appName} />
        </>
      )}
      size="min(1000px, 96vw)"
    >
      {(integration) => <Objects key={integration.id} integration={integration} />}
    </IntegrationModal>
  );
}

function Objects({ integration }: { integration: SyncIntegration }) {
  const helium = useSyncObjects(integration, 'Helium');
  const journey = useSyncObjects(integration, 'Journey');
  const drift = useDrift(integration.id);
  const isFetching = helium.isFetching || journey.isFetching;
  const isPending = helium.isPending || journey.isPending;
  const { pausedObjects } = integration;
  const columns = useMemo(
    () => getColumns(drift.data, isPending, pausedObjects),
    [drift.data, isPending, pausedObjects],
  );
  const rows = useMemo(() => compareObjects(helium.data, journey.data), [helium.data, journey.data]);
  const count = () => {
    void helium.refetch();
    void journey.refetch();
  };
  const refresh = () => {
    count();
    void drift.refetch();
  };
  // Then the call itself failed, not a side.
  const isSameFailure = helium.isError && helium.error.message === journey.error?.message;
  return (
    <>
      {isSameFailure ? (
        <ProblemNote title={syncTexts.title} problem={helium.error} hasStaleData={rows.length > 0} onRetry={count} />
      ) : (
        <>
          <SideProblem platform="Helium" load={helium} />
          <SideProblem platform="Journey" load={journey} />
        </>
      )}
      <DataTable
        name="Sync Objects"
        rows={rows.length === 0 && isPending ? undefined : rows}
        rowId={({ platform, type, objectName }) => `${platform}/${type}/${objectName}`}
        columns={columns}
        defaultSort={{ id: 'objectName', descending: false }}
        loading={isFetching}
        rowTone={({ difference }) => (difference ? 'warning' : null)}
        emptyText={helium.isError || journey.isError ? 'No objects could be read.' : 'Neither side has any objects.'}
        csvName={`sync-objects-${integration.appName}`}
        addressPrefix="objects"
        toolbar={
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={14} stroke={1.6} aria-hidden />}
            loading={isFetching}
            onClick={refresh}
          >
            Count again
          </Button>
        }
      />
      {rows.some(({ type }) => type === 'View') && <p className="note">{viewReason}</p>}
      {drift.isError ? <ProblemNote problem={drift.error} onRetry={() => void drift.refetch()} /> : <DriftLegend />}
    </>
  );
}

function SideProblem({ platform, load }: { platform: Platform; load: ReturnType<typeof useSyncObjects> }) {
  if (!load.isError) return null;
  return (
    <ProblemNote
      title={`The objects of ${platform} could not be read.`}
      problem={load.error}
      hasStaleData={load.data !== undefined}
      onRetry={() => void load.refetch()}
    />
  );
}

const viewReason = 'Views are not counted: reading a view may run functions that change data.';

type PausedObjects = SyncIntegration['pausedObjects'];

/** @param isPending whether a side is still loading, so that nothing is known of it yet */
const getCountColumns = (isPending: boolean, paused: PausedObjects): readonly DataColumn<SyncObject>[] => [
  { id: 'platform', header: 'Platform', value: ({ platform }) => platform },
  { id: 'type', header: 'Type', value: ({ type }) => type },
  {
    id: 'objectName',
    header: 'Object Name',
    namesRow: true,
    value: ({ objectName }) => objectName,
    cell: ({ objectName }) => <ObjectName name={objectName} paused={paused} />,
  },
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
    cell: (object) => describeCounterpart(object, isPending),
  },
  {
    id: 'difference',
    header: 'Difference',
    value: ({ difference }) => difference ?? null,
    cell: ({ difference }) => describeDifference(difference, isPending),
    align: 'right',
  },
];

/** @param drift undefined while it is loading or when it could not be loaded */
function getColumns(
  drift: readonly DriftPoint[] | undefined,
  isPending: boolean,
  paused: PausedObjects,
): readonly DataColumn<SyncObject>[] {
  return [
    ...getCountColumns(isPending, paused),
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

/** Shows the name, and why the object is paused if it is. Names match regardless of case. */
function ObjectName({ name, paused }: { name: string; paused: PausedObjects }) {
  const found = paused.first.find(({ object }) => object.toLowerCase() === name.toLowerCase());
  if (!found) return name;
  return (
    <div>
      {name} <StatusChip tone="warning" label="Paused" />
      <p className="note">{found.reason} Not synced until the integration is saved.</p>
    </div>
  );
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

/** Returns the name on the other side with its count. */
function describeCounterpart({ counterpart, objectCount, difference }: SyncObject, isPending: boolean) {
  if (counterpart === undefined) return describeUnknown(isPending);
  if (counterpart === null) return <span className="note">no counterpart</span>;
  if (typeof difference !== 'number' || objectCount === null) return counterpart;
  return `${counterpart} (${formatCount(objectCount - difference)})`;
}

function describeUnknown(isPending: boolean) {
  return <span className="note">{isPending ? 'loading …' : 'unknown'}</span>;
}

function describeDifference(difference: number | null | undefined, isPending: boolean) {
  if (difference === undefined) return describeUnknown(isPending);
  if (difference === null) return '–';
  if (difference === 0) return <span className="note">none</span>;
  return <strong title="How many more records than on the other side">{formatDifference(difference)}</strong>;
}
