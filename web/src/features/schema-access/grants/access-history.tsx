import type { AccessGrant } from '@portal/contract/schema-access';
import { useMemo } from 'react';
import { CheckBox } from '../../../ui/check-box.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import styles from '../schema-access.module.css';
import { useAccessChoices } from '../schema-access-address.ts';
import type { AccessHistoryLoad } from '../use-schema-access.ts';
import { accessColumns, appAccessColumns } from './access-columns.tsx';
import { currentGrants } from './current-grants.ts';
import { ReceiptModal } from './receipt-modal.tsx';

/**
 * Shows current and past access: to what, since when, granted by whom and why. A row opens its
 * receipt.
 */
export function AccessHistory(props: {
  load: AccessHistoryLoad;
  /** Limits the history to one app. */
  appName: string | null;
  onRevert: (grant: AccessGrant) => void;
}) {
  const { load, appName, onRevert } = props;
  const [{ isCurrentOnly, grant: openGrant }, change] = useAccessChoices();
  const rows = useMemo(
    () => (isCurrentOnly && load.data ? currentGrants(load.data) : load.data),
    [load.data, isCurrentOnly],
  );
  const hidesAll = isCurrentOnly && rows?.length === 0 && load.data?.length !== 0;
  return (
    <div className={`${styles.section} ${styles.history}`}>
      <h2>Access history</h2>
      <DataTable
        name="Access"
        addressPrefix="access"
        rows={rows}
        rowId={(grant) => grant.id}
        columns={appName === null ? accessColumns : appAccessColumns}
        defaultSort={{ id: 'since', descending: true }}
        loading={load.isFetching}
        error={load.error}
        onRetry={() => void load.refetch()}
        onRowClick={(grant) => change({ grant: grant.id })}
        csvName={appName === null ? 'schema access' : `${appName} schema access`}
        emptyText={hidesAll ? 'No team currently has access.' : 'No team has been granted access yet.'}
        emptyHint={
          hidesAll ? 'Past access is still listed in the history.' : 'Every grant is listed here with its receipt.'
        }
        toolbar={
          <CheckBox
            label="Current access only"
            checked={isCurrentOnly}
            onChange={(isChecked) => change({ isCurrentOnly: isChecked })}
          />
        }
      />
      <ReceiptModal
        grantId={openGrant}
        onClose={() => change({ grant: null })}
        onRevert={(grant) => {
          change({ grant: null });
          onRevert(grant);
        }}
      />
    </div>
  );
}
