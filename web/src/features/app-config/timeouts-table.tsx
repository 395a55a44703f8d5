import { Button } from '@mantine/core';
import { IconEdit, IconPlus, IconTrash } from '@tabler/icons-react';
import { useMemo } from 'react';
import { formatUnit } from '../../format/numbers.ts';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import type { DataColumn } from '../../ui/table/data-table.types.ts';
import { type EntryPointRow, labelByTone, toEntryPointRows } from './entry-points/entry-points.ts';

const columns: readonly DataColumn<EntryPointRow>[] = [
  { id: 'key', header: 'key', value: (row) => row.key },
  { id: 'kind', header: 'type', value: (row) => (row.isView ? 'View' : 'Scheduled function'), optional: true },
  {
    id: 'value',
    header: 'value',
    align: 'right',
    width: 190,
    value: (row) => row.timeoutMins,
    cell: (row) => <TimeoutValue row={row} />,
  },
];

function TimeoutValue({ row }: { row: EntryPointRow }) {
  const label = labelByTone[row.tone];
  return (
    <span className="inline">
      {label !== null && <StatusChip tone={row.tone} label={label} />}
      {formatUnit(row.timeoutMins, 'min')}
    </span>
  );
}

/** The entry points that have a timeout. */
export function TimeoutsTable(props: {
  timeoutMinsByKey: Readonly<Record<string, number>> | undefined;
  appName: string;
  /** Whether the user may set timeouts; false while that is not known. */
  canSet: boolean;
  /** Why nothing can be changed now; null if it can. */
  reason: string | null;
  onNew: () => void;
  onUpdate: (key: string) => void;
  onRemove: (key: string) => void;
}) {
  const { timeoutMinsByKey, reason } = props;
  const rows = useMemo(() => timeoutMinsByKey && toEntryPointRows(timeoutMinsByKey), [timeoutMinsByKey]);
  const plus = <IconPlus size={16} stroke={1.8} aria-hidden />;
  return (
    <DataTable
      name="Entry point timeouts"
      rows={rows}
      rowId={(row) => row.key}
      columns={columns}
      defaultSort={{ id: 'key', descending: false }}
      rowTone={(row) => row.tone}
      csvName={`${props.appName} timeouts`}
      emptyText="No entry point timeouts are set for this app."
      emptyHint={`The platform's default applies to every view and scheduled function.${props.canSet ? ' Use New entry-point to set one.' : ''}`}
      toolbar={
        <ExplainedButton leftSection={plus} reason={reason} onClick={props.onNew}>
          New entry-point
        </ExplainedButton>
      }
      actions={(row) => (
        <Button.Group>
          <ExplainedButton
            size="compact-sm"
            variant="default"
            leftSection={<IconEdit size={14} stroke={1.6} aria-hidden />}
            aria-label={`Update ${row.key}`}
            reason={reason}
            onClick={() => props.onUpdate(row.key)}
          >
            Update
          </ExplainedButton>
          <ExplainedButton
            size="compact-sm"
            variant="default"
            leftSection={<IconTrash size={14} stroke={1.6} aria-hidden />}
            aria-label={`Remove ${row.key}`}
            reason={reason}
            onClick={() => props.onRemove(row.key)}
          >
            Remove
          </ExplainedButton>
        </Button.Group>
      )}
    />
  );
}
