import { getServerNow } from '../../../api/server-clock.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import type { DataColumn } from '../../../ui/table/data-table.types.ts';
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
    namesRow: true,
    value: ({ id }) => id,
    cell: ({ id }) => (
      <span className={styles.recordId}>
        <Copyable value={id} label="Copy the id" />
      </span>
    ),
  },
];

/** A time that is closer counts as now. */
const nowMs = 5_000;

interface TimeColumn {
  readonly id: string;
  readonly header: string;
  /** What to show without a time. */
  readonly none?: string;
  /** What to show for a time in the next seconds, or one that has passed. */
  readonly due?: string;
}

export function createTimeColumn<Row>(
  { id, header, none = '', due }: TimeColumn,
  getTime: (row: Row) => string | null,
): DataColumn<Row> {
  return {
    id,
    header,
    value: getTime,
    cell: (row) => {
      const at = getTime(row);
      if (at === null) return none && <span className={styles.nowrap}>{none}</span>;
      const isDue = due !== undefined && Date.parse(at) <= getServerNow() + nowMs;
      return <span className={styles.nowrap}>{isDue ? due : <RelativeTime at={at} />}</span>;
    },
  };
}
