import { Skeleton } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { formatCount } from '../lib/format.ts';
import styles from './data-table.module.css';
import type { DataColumn, DataTableProps } from './data-table.types.ts';
import type { CellValue } from './table-rows.ts';
import type { TablePage } from './use-table-model.ts';

/** The rows of a page of a table; arrow keys walk them. */
export function TableBody<Row>(props: {
  table: DataTableProps<Row>;
  columns: readonly DataColumn<Row>[];
  page: TablePage<Row>;
}) {
  const { table, columns } = props;
  const { shown, firstNumber } = props.page;
  const { rowId, rowTone, onRowClick, actions, lineNumbers = false } = table;
  return (
    <tbody onKeyDown={moveBetweenRows}>
      {shown.map((row, index) => (
        <tr
          key={rowId(row)}
          className={onRowClick && styles.clickable}
          data-tone={rowTone?.(row) ?? undefined}
          tabIndex={onRowClick && (index === 0 ? 0 : -1)}
          onClick={(event) => {
            if (onRowClick && !isOnControl(event.target) && !hasSelection()) onRowClick(row);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && event.target === event.currentTarget) onRowClick?.(row);
          }}
        >
          {lineNumbers && <td className={styles.number}>{formatCount(firstNumber + index)}</td>}
          {columns.map((column, place) => (
            <td key={column.id} data-label={place === 0 ? undefined : column.header} data-align={column.align}>
              {column.cell ? column.cell(row) : asText(column.value(row))}
            </td>
          ))}
          {actions && <td className={styles.actions}>{actions(row)}</td>}
        </tr>
      ))}
    </tbody>
  );
}

/** Lines where the rows will be, of different length so that they do not look like a form. */
export function SkeletonBody({ rows, columns }: { rows: number; columns: number }) {
  return (
    <tbody>
      {upTo(Math.min(rows, 10)).map((row) => (
        <tr key={row}>
          {upTo(columns).map((column) => (
            <td key={column}>
              <Skeleton height={12} my={4} width={`${50 + ((row * 7 + column * 13) % 40)}%`} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function asText(value: CellValue): string {
  if (value === null) return '–';
  return typeof value === 'number' ? formatCount(value) : String(value);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function isOnControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, select, label, [role="menu"]') !== null;
}

/** Marking text in a row is not a click on it. */
function hasSelection(): boolean {
  return window.getSelection()?.isCollapsed === false;
}

/** Arrow keys walk the rows; Home and End jump. */
function moveBetweenRows(event: KeyboardEvent<HTMLTableSectionElement>): void {
  if (!(event.target instanceof HTMLTableRowElement)) return;
  const rows = [...event.currentTarget.rows];
  const here = rows.indexOf(event.target);
  const goals: Record<string, number> = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: rows.length - 1 };
  const goal = rows[goals[event.key] ?? -1];
  if (!goal) return;
  event.preventDefault();
  goal.focus();
}
