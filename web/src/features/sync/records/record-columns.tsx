import { Copyable } from '../../../ui/copyable.tsx';
import type { DataColumn } from '../../../ui/data-table.types.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from './records-modal.module.css';

/** The columns that name a record. */
export const recordColumns: readonly DataColumn<{ readonly table: string; readonly id: string }>[] = [
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
];

/** @param none what to show without a time */
export function createTimeColumn<Row>(
  { id, header, none = '' }: { readonly id: string; readonly header: string; readonly none?: string },
  getTime: (row: Row) => string | null,
): DataColumn<Row> {
  return {
    id,
    header,
    value: getTime,
    cell: (row) => {
      const at = getTime(row);
      return <span className={styles.nowrap}>{at === null ? none : <RelativeTime at={at} />}</span>;
    },
  };
}
