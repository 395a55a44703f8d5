import { Button } from '@mantine/core';
import type { KeptFile, SyncConflict } from '@portal/contract/sync-conflicts';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import { useState } from 'react';
import { formatBytes, formatCount } from '../../../lib/format.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import type { DataColumn } from '../../../ui/data-table.types.ts';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { formatConflictCount } from './format-conflict-count.ts';
import { recordColumns } from './record-columns.tsx';
import styles from './records-modal.module.css';
import { formatValue } from './side-values.tsx';
import { maxRecords, useConflictFileAddress, useConflicts, useRestoreFile } from './use-records.ts';

/** Changes both sides made to the same field, with both values and the winner. */
export function Conflicts({ integration, refusal }: { integration: SyncIntegration; refusal: string | null }) {
  const conflicts = useConflicts(integration.id);
  const getAddress = useConflictFileAddress(integration.id);
  const restore = useRestoreFile();
  const [restored, setRestored] = useState<RestoredFile | null>(null);
  const close = () => setRestored(null);
  const hasFiles = conflicts.data?.conflicts.some(({ files }) => files.length > 0) ?? false;
  const filesColumn: DataColumn<SyncConflict> = {
    id: 'files',
    header: 'Kept files',
    value: ({ files }) => files.map(({ fileName }) => fileName).join('\n'),
    cell: (conflict) => (
      <ul className={styles.files}>
        {conflict.files.map((file) => (
          <li key={file.no}>
            <span>
              {file.fileName}{' '}
              <span className="note">
                {file.side === 'helium' ? 'of Helium' : 'of Journey'}, {formatBytes(file.size)}
              </span>
            </span>
            <span className={styles.actions}>
              <Button
                variant="default"
                size="compact-sm"
                renderRoot={(props) => <a {...props} href={getAddress(file.no)} download={file.fileName} />}
                aria-label={`Download ${file.fileName} of ${conflict.table} ${conflict.id}`}
              >
                Download
              </Button>
              <ExplainedButton
                variant="default"
                size="compact-sm"
                reason={refusal ?? (restore.isPending ? 'A file is being restored.' : null)}
                aria-label={`Restore ${file.fileName} of ${conflict.table} ${conflict.id}`}
                onClick={() => setRestored({ conflict, file })}
              >
                Restore
              </ExplainedButton>
            </span>
          </li>
        ))}
      </ul>
    ),
  };
  return (
    <>
      <p className="note">
        Both sides changed the same value at the same time. The overridden value is kept here, and an overridden file
        for as long as the configuration says.
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
        columns={hasFiles ? [...columns, filesColumn] : columns}
        defaultSort={{ id: 'at', descending: true }}
        loading={conflicts.isPending}
        error={conflicts.error}
        onRetry={() => void conflicts.refetch()}
        emptyText="No conflicts."
        csvName={`sync-conflicts-${integration.appName}`}
        addressPrefix="conflicts"
      />
      <ConfirmModal
        opened={restored !== null}
        onClose={close}
        title="Restore file"
        confirmLabel="Restore"
        cancelLabel="Cancel"
        pending={restore.isPending}
        onConfirm={() =>
          restored && restore.mutate({ appId: integration.id, no: restored.file.no }, { onSettled: close })
        }
      >
        {restored && (
          <p>
            {restored.file.fileName} replaces the file in {restored.file.column} of {restored.conflict.table}{' '}
            {restored.conflict.id} in Helium. The current file is kept with this conflict. Sync treats it as an edit, so
            Journey receives it too, where Helium’s changes are sent.
          </p>
        )}
      </ConfirmModal>
    </>
  );
}

interface RestoredFile {
  readonly conflict: SyncConflict;
  readonly file: KeptFile;
}

const winnerNames = { helium: 'Helium', journey: 'Journey' } as const;

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
  {
    id: 'winner',
    header: 'Winner',
    value: ({ winner, open }) => (open === null ? winnerNames[winner] : `Open: ${open}`),
    cell: ({ winner, open }) =>
      open === null ? winnerNames[winner] : <div className={styles.reason}>Open: {open}</div>,
  },
];

function describeValue(conflict: SyncConflict, side: 'helium' | 'journey'): string {
  const value = conflict[side];
  return conflict.column === null && value === null ? 'deleted' : formatValue(value);
}

function SideValue({ integration, side }: { integration: SyncConflict; side: 'helium' | 'journey' }) {
  const text = describeValue(integration, side);
  if (integration.open !== null) return <span className={styles.value}>{text}</span>;
  return <span className={styles.value}>{integration.winner === side ? <ins>{text}</ins> : <del>{text}</del>}</span>;
}
