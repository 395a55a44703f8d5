import type { SyncIntegration } from '@portal/contract/sync/integration';
import { type HeldRecord, keptRowKind } from '@portal/contract/sync/records';
import { useMemo } from 'react';
import { formatCount, formatPlural } from '../../../format/numbers.ts';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { DataColumn } from '../../../ui/table/data-table.types.ts';
import { directionLabels } from '../direction-status.ts';
import { createTimeColumn, recordColumns } from './record-columns.tsx';
import { LinkedReason, useFindRecord } from './record-links.tsx';
import styles from './records-modal.module.css';
import { describeValues, SideValues } from './side-values.tsx';
import { maxRecords, useHeldRecords, useRetryHeld, useSkipHeld } from './use-records.ts';

const stateTexts = {
  dead: {
    name: 'Dead letters',
    empty: 'No dead letters.',
    description:
      'Rejected. Each is retried when the record changes or you press Retry. All other records keep syncing.',
  },
  waiting: {
    name: 'Waiting',
    empty: 'No waiting records.',
    description: 'Each is retried automatically. The reason names what it waits for. All other records keep syncing.',
  },
  parked: {
    name: 'Parked',
    empty: 'No parked records.',
    description: 'Each waits for another record and is retried when that record arrives.',
  },
  skipped: {
    name: 'Skipped',
    empty: 'No skipped records.',
    description: 'Skipped on purpose until they change again.',
  },
} as const;

function groupByKind(records: readonly HeldRecord[]): ReadonlyMap<string, readonly HeldRecord[]> {
  const byKind = new Map<string, HeldRecord[]>();
  for (const record of records) byKind.set(record.kind, [...(byKind.get(record.kind) ?? []), record]);
  return byKind;
}

/** The held records in one state, with the values of both sides and the actions on them. */
export function HeldRecords(props: {
  integration: SyncIntegration;
  state: HeldRecord['state'];
  refusal: string | null;
}) {
  const { integration, state, refusal } = props;
  const held = useHeldRecords(integration.id, state);
  const [retry, skip] = [useRetryHeld(), useSkipHeld()];
  const isBusy = retry.isPending || skip.isPending;
  const records = held.data?.records;
  const byKind = useMemo(() => groupByKind(records ?? []), [records]);
  const { name, empty, description } = stateTexts[state];
  return (
    <>
      <p className="note">
        {description}
        {held.data && held.data.total > maxRecords && (
          <strong>
            {' '}
            Showing the first {formatCount(maxRecords)} of {formatCount(held.data.total)}.
          </strong>
        )}
      </p>
      {state === 'skipped' && <KeptRows records={records ?? []} />}
      <DataTable
        name={name}
        rows={records}
        rowId={({ no }) => no}
        columns={getColumns(state)}
        loading={held.isPending}
        error={held.error}
        onRetry={() => void held.refetch()}
        emptyText={empty}
        csvName={`sync-${state}-${integration.appName}`}
        addressPrefix="held"
        actions={({ no, kind, table, id, direction }) => {
          const sameKindCount = byKind.get(kind)?.length ?? 0;
          const recordName = `${table} ${id}`;
          const buttonProps = { variant: 'default', size: 'compact-sm', reason: refusal, disabled: isBusy } as const;
          return (
            <span className={styles.actions}>
              <ExplainedButton
                {...buttonProps}
                aria-label={`Retry ${recordName}`}
                onClick={() => retry.mutate({ appId: integration.id, nos: [no] })}
              >
                Retry
              </ExplainedButton>
              {canSkip(state, direction) && (
                <ExplainedButton
                  {...buttonProps}
                  aria-label={`Skip ${recordName}`}
                  onClick={() => skip.mutate({ appId: integration.id, nos: [no] })}
                >
                  Skip
                </ExplainedButton>
              )}
              {sameKindCount > 1 && (
                <ExplainedButton
                  {...buttonProps}
                  hint={`${formatCount(sameKindCount)} records with the same error`}
                  onClick={() => retry.mutate({ appId: integration.id, kind })}
                >
                  Retry all like this
                </ExplainedButton>
              )}
            </span>
          );
        }}
      />
    </>
  );
}

/** One note per object whose rows Helium keeps although devices have deleted them. */
function KeptRows({ records }: { records: readonly HeldRecord[] }) {
  const counts = new Map<string, number>();
  for (const { kind, table } of records) if (kind === keptRowKind) counts.set(table, (counts.get(table) ?? 0) + 1);
  return [...counts].map(([table, count]) => (
    <p key={table} className="note">
      <strong>{table}</strong>: Helium keeps {formatPlural(count, 'row')} that devices have deleted, because a trigger
      of the app cancels the deletion. They stay deleted on the devices until their rows change.
    </p>
  ));
}

/** What waits for a lock in Helium is soon free. */
function canSkip(state: HeldRecord['state'], direction: HeldRecord['direction']): boolean {
  return state === 'dead' || state === 'parked' || (state === 'waiting' && direction === 'helium-to-journey');
}

const baseColumns: readonly DataColumn<HeldRecord>[] = [
  ...recordColumns,
  { id: 'direction', header: 'Direction', value: ({ direction }) => directionLabels[direction] },
  {
    id: 'reason',
    header: 'Reason',
    value: ({ reason, missing }) => [reason, ...missing].join('\n'),
    cell: (record) => <Reason record={record} />,
  },
  {
    // The search looks through it, shown or not.
    id: 'values',
    header: 'Values',
    value: ({ helium, journey }) => describeValues({ ...journey, ...helium }),
    optional: true,
  },
  { id: 'attempts', header: 'Attempts', value: ({ attempts }) => attempts, align: 'right' },
  createTimeColumn({ id: 'since', header: 'Since' }, ({ since }) => since),
  createTimeColumn({ id: 'lastTried', header: 'Last attempt' }, ({ lastTried }) => lastTried),
];

const nextAttemptColumn = createTimeColumn<HeldRecord>(
  { id: 'nextAttempt', header: 'Next attempt', none: 'when it changes', due: 'now' },
  ({ nextAttempt }) => nextAttempt,
);

const retriedColumns = [...baseColumns, nextAttemptColumn];

function Reason({ record: { reason, missing, helium, journey } }: { record: HeldRecord }) {
  const find = useFindRecord();
  return (
    <div className={styles.reason}>
      <LinkedReason reason={reason} missing={missing} onFind={find} />
      <SideValues helium={helium} journey={journey} />
    </div>
  );
}

function getColumns(state: HeldRecord['state']): readonly DataColumn<HeldRecord>[] {
  return state === 'waiting' || state === 'parked' ? retriedColumns : baseColumns;
}
