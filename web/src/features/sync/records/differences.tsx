import { Button } from '@mantine/core';
import type { DifferentRecord } from '@portal/contract/sync/drift';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { formatCount } from '../../../format/numbers.ts';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { DataColumn } from '../../../ui/table/data-table.types.ts';
import { createTimeColumn, recordColumns } from './record-columns.tsx';
import { useFindRecord } from './record-links.tsx';
import styles from './records-modal.module.css';
import { useDifferences } from './use-comparison.ts';
import { useLookAgain } from './use-found-records.ts';
import { maxRecords } from './use-records.ts';

/** The records that differ on a side whose changes are not read. */
export function Differences({ integration, refusal }: { integration: SyncIntegration; refusal: string | null }) {
  const { id: appId, appName } = integration;
  const { data, isPending, error, refetch } = useDifferences(appId);
  const lookAgain = useLookAgain();
  const find = useFindRecord();
  const [example] = data?.records ?? [];
  const buttonProps = {
    variant: 'default',
    size: 'compact-sm',
    reason: refusal,
    disabled: lookAgain.isPending,
  } as const;
  return (
    <>
      <p className="note">
        Objects that sync in one direction only: what people change on the other side stays there and is not undone.
        These records differed at the last comparison.
        {example && ` ${sendHints[example.side]}`}
        {data && data.total > maxRecords && (
          <strong>
            {' '}
            Showing the newest {formatCount(maxRecords)} of {formatCount(data.total)}.
          </strong>
        )}
      </p>
      <DataTable
        name="Differences"
        rows={data?.records}
        rowId={({ table, id }) => `${table}/${id}`}
        columns={columns}
        defaultSort={{ id: 'foundAt', descending: true }}
        loading={isPending}
        error={error}
        onRetry={() => void refetch()}
        emptyText="No differences. Both sides are compared once a day."
        csvName={`sync-differences-${appName}`}
        addressPrefix="differences"
        actions={({ table, id }) => (
          <span className={styles.rowActions}>
            <Button
              variant="default"
              size="compact-sm"
              aria-label={`Show both sides of ${table} ${id}`}
              onClick={() => find({ table, id })}
            >
              Show both
            </Button>
            <ExplainedButton
              {...buttonProps}
              aria-label={`Send again ${table} ${id}`}
              onClick={() => lookAgain.mutate({ appId, records: [{ table, id }] })}
            >
              Send again
            </ExplainedButton>
          </span>
        )}
      />
    </>
  );
}

const names = { helium: 'Helium', journey: 'Journey' } as const;

/** What “Send again” does, by the side it writes to. */
const sendHints = {
  helium:
    '“Send again” writes what Helium lacks. Where both sides have a value, the conflict policy decides, and both are listed as a conflict.',
  journey: '“Send again” sends Helium’s values. What they replace is listed as a conflict.',
} as const;

function describeDifference({ side, kind }: DifferentRecord): string {
  if (kind === 'changed') return `Changed in ${names[side]}`;
  if (kind === 'missing') return `Missing in ${names[side]}`;
  return `Never sent to ${names[side]}: older than the start version`;
}

const columns: readonly DataColumn<DifferentRecord>[] = [
  ...recordColumns,
  { id: 'difference', header: 'Difference', value: describeDifference },
  createTimeColumn({ id: 'foundAt', header: 'First found' }, ({ foundAt }) => foundAt),
];
