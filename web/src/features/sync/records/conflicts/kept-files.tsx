import type { KeptFile, SyncConflict } from '@portal/contract/sync/conflicts';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { useMemo, useState } from 'react';
import { formatBytes } from '../../../../format/numbers.ts';
import { useReadOnlyRefusal } from '../../../../session/use-session.ts';
import { ConfirmModal } from '../../../../ui/confirm-modal.tsx';
import { DownloadLink } from '../../../../ui/download-link.tsx';
import { ExplainedButton } from '../../../../ui/explained-button.tsx';
import type { DataColumn } from '../../../../ui/table/data-table.types.ts';
import styles from '../records-modal.module.css';
import { useConflictFileAddress, useRestoreFile } from './use-conflicts.ts';

interface RestoredFile {
  readonly conflict: SyncConflict;
  readonly file: KeptFile;
}

/** Returns the column with the files that conflicts overwrote, and the dialog that restores one. */
export function useKeptFiles(integration: SyncIntegration, refusal: string | null) {
  const getAddress = useConflictFileAddress(integration.id);
  const restore = useRestoreFile();
  const downloadRefusal = useReadOnlyRefusal();
  const [restored, setRestored] = useState<RestoredFile | null>(null);
  const close = () => setRestored(null);
  const reason = refusal ?? (restore.isPending ? 'A file is being restored.' : null);
  const column = useMemo(
    (): DataColumn<SyncConflict> => ({
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
                <DownloadLink
                  size="compact-sm"
                  href={getAddress(file.no)}
                  fileName={file.fileName}
                  reason={downloadRefusal}
                  aria-label={`Download ${file.fileName} of ${conflict.table} ${conflict.id}`}
                >
                  Download
                </DownloadLink>
                <ExplainedButton
                  variant="default"
                  size="compact-sm"
                  reason={reason}
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
    }),
    [getAddress, downloadRefusal, reason],
  );
  const dialog = (
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
  );
  return { column, dialog };
}
