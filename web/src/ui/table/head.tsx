import { useViewportWidth } from '../../state/use-viewport-width.ts';
import styles from './data-table.module.css';
import type { DataColumn } from './data-table.types.ts';
import { SortHeader } from './sort-header.tsx';
import type { TableState } from './use-table-state.ts';

/** Up to this width of the window rows are cards, as in `data-table.module.css`. */
const maxCardsWidth = 700;

export function TableHead<Row>(props: {
  columns: readonly DataColumn<Row>[];
  state: TableState;
  lineNumbers: boolean;
  hasActions: boolean;
}) {
  const { sort, setSort } = props.state;
  const areCards = useViewportWidth() <= maxCardsWidth;
  return (
    <thead>
      <tr>
        {props.lineNumbers && (
          <th scope="col" className={styles.number}>
            #
          </th>
        )}
        {props.columns.map((column) => (
          <SortHeader key={column.id} column={column} sort={sort} onSort={areCards ? null : setSort} />
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
