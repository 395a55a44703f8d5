import { Checkbox } from '@mantine/core';
import type { AccessGrant } from '@portal/contract/schema-access';
import { useMemo } from 'react';
import { DataTable } from '../../../ui/data-table.tsx';
import styles from '../schema-access.module.css';
import { useAccessChoices } from '../schema-access-address.ts';
import type { AccessHistoryLoad } from '../use-schema-access.ts';
import { accessColumns, appAccessColumns } from './access-columns.tsx';
import { currentGrants } from './current-grants.ts';
import { ReceiptModal } from './receipt-modal.tsx';

/** Who has, or had, access to what, since when, by whom and why; a row opens its receipt. */
export function AccessHistory(props: {
  load: AccessHistoryLoad;
  /** Of one app rather than of all. */
  appName: string | null;
  onRevert: (grant: AccessGrant) => void;
}) {
  const { load, appName, onRevert } = props;
  const [{ onlyNow, grant: openGrant }, change] = useAccessChoices();
  const rows = useMemo(() => (onlyNow && load.data ? currentGrants(load.data) : load.data), [load.data, onlyNow]);
  const hidesAll = onlyNow && rows?.length === 0 && load.data?.length !== 0;
  return (
    <div className={`${styles.section} ${styles.history}`}>
      <h2>History of access</h2>
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
        emptyText={hidesAll ? 'No team has access now.' : 'No team has been granted access yet.'}
        emptyHint={
          hidesAll ? 'Those who had it are still in the history.' : 'Each grant is kept here with its receipt.'
        }
        toolbar={
          <Checkbox
            label="Who has access now"
            checked={onlyNow}
            onChange={(event) => change({ onlyNow: event.currentTarget.checked })}
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
