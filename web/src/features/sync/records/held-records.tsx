import type { SyncIntegration } from '@portal/contract/sync-integration';
import type { HeldRecord } from '@portal/contract/sync-records';
import { useMemo } from 'react';
import { formatCount } from '../../../lib/format.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import type { DataColumn } from '../../../ui/data-table.types.ts';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { directionWords, mostRecords, useHeldRecords, useRetryHeld, useSkipHeld } from '../use-integrations.ts';
import styles from './records-modal.module.css';
import { ValuesOfBoth } from './values-of-both.tsx';

const words = {
  dead: {
    name: 'Dead letters',
    empty: 'No dead letters.',
    about: 'Refused for good unless somebody acts, or the record changes: then it is tried again. All others flow.',
  },
  parked: {
    name: 'Parked',
    empty: 'No record is parked.',
    about: 'Each waits for another record, and is tried again as soon as that one comes.',
  },
  skipped: {
    name: 'Skipped',
    empty: 'No record is skipped.',
    about: 'Left as they are on purpose, until they change again.',
  },
} as const;

function groupAlike(records: readonly HeldRecord[]): ReadonlyMap<string, readonly HeldRecord[]> {
  const alike = new Map<string, HeldRecord[]>();
  for (const record of records) alike.set(record.kind, [...(alike.get(record.kind) ?? []), record]);
  return alike;
}

/**
 * The records that are held in one state, with what each side says of them, and what can be done.
 */
export function HeldRecords(props: { of: SyncIntegration; state: HeldRecord['state']; refusal: string | null }) {
  const { of, state, refusal } = props;
  const held = useHeldRecords(of.id, state);
  const [retry, skip] = [useRetryHeld(), useSkipHeld()];
  const isBusy = retry.isPending || skip.isPending;
  const records = held.data?.records;
  const alike = useMemo(() => groupAlike(records ?? []), [records]);
  const { name, empty, about } = words[state];
  return (
    <>
      <p className="note">
        {about}
        {held.data && held.data.total > mostRecords && (
          <strong>
            {' '}
            The first {formatCount(mostRecords)} of {formatCount(held.data.total)} are shown.
          </strong>
        )}
      </p>
      <DataTable
        name={name}
        rows={records}
        rowId={({ no }) => no}
        columns={columns}
        loading={held.isPending}
        error={held.error}
        onRetry={() => void held.refetch()}
        emptyText={empty}
        csvName={`sync-${state}-${of.appName}`}
        addressPrefix="held"
        wide
        actions={({ no, kind, table, id }) => {
          const like = alike.get(kind)?.length ?? 0;
          const what = `${table} ${id}`;
          const act = { variant: 'default', size: 'compact-sm', reason: refusal, disabled: isBusy } as const;
          return (
            <span className={styles.acts}>
              <ExplainedButton
                {...act}
                aria-label={`Retry ${what}`}
                onClick={() => retry.mutate({ appId: of.id, nos: [no] })}
              >
                Retry
              </ExplainedButton>
              {state !== 'skipped' && (
                <ExplainedButton
                  {...act}
                  aria-label={`Skip ${what}`}
                  onClick={() => skip.mutate({ appId: of.id, nos: [no] })}
                >
                  Skip
                </ExplainedButton>
              )}
              {like > 1 && (
                <ExplainedButton
                  {...act}
                  hint={`${formatCount(like)} records that fail alike`}
                  onClick={() => retry.mutate({ appId: of.id, kind })}
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

const columns: readonly DataColumn<HeldRecord>[] = [
  {
    id: 'table',
    header: 'Table',
    value: ({ table }) => table,
    cell: ({ table }) => <span className={styles.nowrap}>{table}</span>,
  },
  {
    id: 'id',
    header: 'Id',
    value: ({ id }) => id,
    cell: ({ id }) => (
      <span className={styles.recordId}>
        <Copyable value={id} label="Copy the id" />
      </span>
    ),
  },
  { id: 'direction', header: 'Direction', value: ({ direction }) => directionWords[direction] },
  {
    id: 'reason',
    header: 'Reason',
    value: ({ reason, missing }) => [reason, ...missing].join('\n'),
    cell: ({ reason, missing, helium, journey }) => (
      <div className={styles.reason}>
        {reason}
        <Missing of={missing.filter((record) => !reason.includes(record))} />
        <ValuesOfBoth helium={helium} journey={journey} />
      </div>
    ),
  },
  { id: 'attempts', header: 'Attempts', value: ({ attempts }) => attempts, align: 'right' },
  {
    id: 'since',
    header: 'Since',
    value: ({ since }) => since,
    cell: ({ since }) => (
      <span className={styles.nowrap}>
        <RelativeTime at={since} />
      </span>
    ),
  },
  {
    id: 'lastTried',
    header: 'Last tried',
    value: ({ lastTried }) => lastTried,
    cell: ({ lastTried }) => (
      <span className={styles.nowrap}>
        <RelativeTime at={lastTried} />
      </span>
    ),
  },
];

/** What the reason does not name already. */
function Missing({ of }: { of: readonly string[] }) {
  return of.length === 0 ? null : <span className="note"> Waits for {of.join(', ')}.</span>;
}
