import type { SyncIntegration } from '@portal/contract/sync-integration';
import type { SyncConflict } from '@portal/contract/sync-records';
import { formatCount } from '../../../lib/format.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import type { DataColumn } from '../../../ui/data-table.types.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { maxRecords, useConflicts } from '../use-integrations.ts';
import { formatConflictCount } from './format-conflict-count.ts';
import { recordColumns } from './record-columns.tsx';
import styles from './records-modal.module.css';
import { formatValue } from './side-values.tsx';

/** Changes both sides made to the same field, with both values and the winner. */
export function Conflicts({ integration }: { integration: SyncIntegration }) {
  const conflicts = useConflicts(integration.id);
  return (
    <>
      <p className="note">
        Both sides changed the same value at the same time. The overridden value is kept here.
        {conflicts.data && conflicts.data.total > maxRecords && (
          <strong>
            {' '}
            Showing the newest {formatCount(maxRecords)} of {formatConflictCount(conflicts.data.total)}.
          </strong>
        )}
      </p>
      <DataTable
        name="Conflicts"
        rows={conflicts.data?.conflicts}
        rowId={({ no }) => no}
        columns={columns}
        defaultSort={{ id: 'at', descending: true }}
        loading={conflicts.isPending}
        error={conflicts.error}
        onRetry={() => void conflicts.refetch()}
        emptyText="No conflicts."
        csvName={`sync-conflicts-${integration.appName}`}
        addressPrefix="conflicts"
        wide
      />
    </>
  );
}

const columns: readonly DataColumn<SyncConflict>[] = [
  { id: 'at', header: 'When', value: ({ at }) => at, cell: ({ at }) => <RelativeTime at={at} /> },
  ...recordColumns,
  {
    id: 'column',
    header: 'Column',
    value: ({ column }) => column,
    cell: ({ column }) => column ?? <span className="note">deleted on one side</span>,
  },
  {
    id: 'helium',
    header: 'Helium',
    value: (row) => describeValue(row, 'helium'),
    cell: (row) => <SideValue integration={row} side="helium" />,
  },
  {
    id: 'journey',
    header: 'Journey',
    value: (row) => describeValue(row, 'journey'),
    cell: (row) => <SideValue integration={row} side="journey" />,
  },
  { id: 'winner', header: 'Winner', value: ({ winner }) => (winner === 'helium' ? 'Helium' : 'Journey') },
];

function describeValue(conflict: SyncConflict, side: 'helium' | 'journey'): string {
  const value = conflict[side];
  return conflict.column === null && value === null ? 'deleted' : formatValue(value);
}

function SideValue({ integration, side }: { integration: SyncConflict; side: 'helium' | 'journey' }) {
  const text = describeValue(integration, side);
  return <span className={styles.value}>{integration.winner === side ? <ins>{text}</ins> : <del>{text}</del>}</span>;
}
