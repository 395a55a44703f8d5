import type { SyncConflict } from '@portal/contract/sync/conflicts';
import { RelativeTime } from '../../../../ui/relative-time.tsx';
import type { DataColumn } from '../../../../ui/table/data-table.types.ts';
import { recordColumns } from '../record-columns.tsx';
import styles from '../records-modal.module.css';
import { formatValue } from '../side-values.tsx';

export const sideNames = { helium: 'Helium', journey: 'Journey' } as const;

const reviewNames = {
  helium: 'Helium’s value',
  journey: 'Journey’s value',
  other: 'Another value',
} as const;

export const conflictColumns: readonly DataColumn<SyncConflict>[] = [
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
    value: (conflict) => describeSide(conflict, 'helium'),
    cell: (conflict) => <SideValue conflict={conflict} side="helium" />,
  },
  {
    id: 'journey',
    header: 'Journey',
    value: (conflict) => describeSide(conflict, 'journey'),
    cell: (conflict) => <SideValue conflict={conflict} side="journey" />,
  },
  {
    id: 'winner',
    header: 'Winner',
    value: ({ winner, open }) => (open === null ? sideNames[winner] : `Open: ${open}`),
    cell: ({ winner, open }) => (open === null ? sideNames[winner] : <div className={styles.reason}>Open: {open}</div>),
  },
];

export const reviewColumn: DataColumn<SyncConflict> = {
  id: 'review',
  header: 'Review',
  value: ({ review }) => review && `${reviewNames[review.value]}, ${review.by}`,
  cell: ({ review }) =>
    review && (
      <>
        {reviewNames[review.value]}
        <div className="note">
          {review.by}, <RelativeTime at={review.at} />
        </div>
      </>
    ),
};

export function describeSide(conflict: SyncConflict, side: 'helium' | 'journey'): string {
  const value = conflict[side];
  return conflict.column === null && value === null ? 'deleted' : formatValue(value);
}

function SideValue({ conflict, side }: { conflict: SyncConflict; side: 'helium' | 'journey' }) {
  const text = describeSide(conflict, side);
  if (conflict.open !== null) return <span className={styles.value}>{text}</span>;
  return <span className={styles.value}>{conflict.winner === side ? <ins>{text}</ins> : <del>{text}</del>}</span>;
}
