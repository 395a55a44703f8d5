import type { SyncIntegration } from '@portal/contract/sync/integration';
import type { ClearingsQuestion, DeletionsQuestion } from '@portal/contract/sync/recovery';
import { formatCount, formatPlural } from '../../../format/numbers.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { DataColumn } from '../../../ui/table/data-table.types.ts';
import recordStyles from '../records/records-modal.module.css';
import { formatValue } from '../records/side-values.tsx';
import styles from './recovery.module.css';

type SampleRecord = DeletionsQuestion['sample'][number];

/** The references that the deletion would clear. */
export function ClearedReferences({ question: { clearedReferences } }: { question: DeletionsQuestion }) {
  if (clearedReferences.length === 0) return null;
  return (
    <div className="stack-s">
      <p>Deleting them would also clear references to them:</p>
      <ul className={styles.references}>
        {clearedReferences.map(({ table, column, records }) => (
          <li key={`${table}.${column}`}>
            <code>
              {table}.{column}
            </code>{' '}
            in {formatPlural(records, 'record')}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The records that would be deleted, or of which values would be cleared, with these values. */
export function DeletionsList({
  integration,
  question,
}: {
  integration: SyncIntegration;
  question: DeletionsQuestion | ClearingsQuestion;
}) {
  const { sample, table } = question;
  const isClearing = question.kind === 'clearings';
  const count = isClearing ? question.records : question.absent;
  const title = isClearing ? 'Values that would be cleared' : 'Records that would be deleted';
  return (
    <div className="stack">
      <h4 className={styles.listTitle}>{title}</h4>
      {sample.length < count && (
        <p className="note">
          Showing the first {formatCount(sample.length)} of {formatPlural(count, 'record')}.
        </p>
      )}
      <DataTable
        name={title}
        rows={sample}
        rowId={({ id }) => id}
        columns={columns}
        pageSize={10}
        emptyText="No values are known."
        csvName={`sync-${question.kind}-${integration.appName}-${table}`}
        addressPrefix="recovery"
      />
    </div>
  );
}

const columns: readonly DataColumn<SampleRecord>[] = [
  {
    id: 'id',
    header: 'Id',
    value: ({ id }) => id,
    cell: ({ id }) => (
      <span className={recordStyles.recordId}>
        <Copyable value={id} label="Copy the id" />
      </span>
    ),
  },
  {
    id: 'values',
    header: 'Values',
    value: ({ values }) =>
      Object.entries(values)
        .map(([name, value]) => `${name}: ${formatValue(value)}`)
        .join(', '),
    cell: ({ values }) => (
      <ul className={styles.values}>
        {Object.entries(values).map(([name, value]) => (
          <li key={name}>
            <span className="label">{name}</span> {formatValue(value)}
          </li>
        ))}
      </ul>
    ),
    sortable: false,
  },
];
