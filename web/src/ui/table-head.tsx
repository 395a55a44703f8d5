import styles from './data-table.module.css';
import type { DataColumn } from './data-table.types.ts';
import { SortHeader } from './sort-header.tsx';
import type { TableState } from './use-table-state.ts';

export function TableHead<Row>(props: {
  columns: readonly DataColumn<Row>[];
  state: TableState;
  lineNumbers: boolean;
  hasActions: boolean;
}) {
  const { sort, setSort } = props.state;
  return (
    <thead>
      <tr>
        {props.lineNumbers && (
          <th scope="col" className={styles.number}>
            #
          </th>
        )}
        {props.columns.map((column) => (
          <SortHeader key={column.id} column={column} sort={sort} onSort={setSort} />
        ))}
        {props.hasActions && (
          <th scope="col" className={styles.actions}>
            <span>Actions</span>
          </th>
        )}
      </tr>
    </thead>
  );
}
