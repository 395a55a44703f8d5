import { Skeleton } from '@mantine/core';
import type { KeyboardEvent, ReactNode } from 'react';
import { formatCount } from '../../format/numbers.ts';
import { PlatformText } from '../platform-text.tsx';
import styles from './data-table.module.css';
import type { DataColumn, DataTableProps } from './data-table.types.ts';
import { RowMenu } from './row-menu.tsx';
import type { CellValue } from './rows.ts';
import type { TablePage } from './use-table-model.ts';

type PassedProps<Row> = {
  readonly [Name in 'rowId' | 'rowTone' | 'onRowClick' | 'actions' | 'lineNumbers']: DataTableProps<Row>[Name];
};

/** The rows of a table page, with arrow key navigation. */
export function TableBody<Row>(
  props: PassedProps<Row> & { readonly columns: readonly DataColumn<Row>[]; readonly page: TablePage<Row> },
) {
  const { columns, rowId, rowTone, onRowClick, actions, lineNumbers = false } = props;
  const { shown, removed, firstNumber } = props.page;
  const naming = columns.find(({ namesRow }) => namesRow) ?? columns[0];
  return (
    <tbody onKeyDown={moveBetweenRows}>
      {shown.map((row, index) => (
        <tr
          key={rowId(row)}
          className={onRowClick && styles.clickable}
          data-tone={rowTone?.(row) ?? undefined}
          // Only for the eye: it leaves as soon as the user does.
          inert={removed.has(row)}
          aria-hidden={removed.has(row) || undefined}
          tabIndex={onRowClick && (index === 0 ? 0 : -1)}
          onClick={(event) => {
            if (onRowClick && !isOnControl(event.target) && !hasSelection()) onRowClick(row);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && event.target === event.currentTarget) onRowClick?.(row);
          }}
        >
          {lineNumbers && <td className={styles.number}>{formatCount(firstNumber + index)}</td>}
          {columns.map((column, columnIndex) => {
            const Cell = column === naming ? 'th' : 'td';
            return (
              <Cell
                key={column.id}
                scope={column === naming ? 'row' : undefined}
                data-label={columnIndex === 0 ? undefined : column.header}
                data-align={column.align}
              >
                {column.cell ? column.cell(row) : toText(column.value(row))}
              </Cell>
            );
          })}
          {actions && (
            <td className={styles.actions} data-actions>
              <RowMenu name={String(naming?.value(row) ?? '')}>{actions(row)}</RowMenu>
            </td>
          )}
        </tr>
      ))}
    </tbody>
  );
}

/** Placeholder rows while loading, with varying widths so that they do not look like a form. */
export function SkeletonBody({ rows, columns }: { rows: number; columns: number }) {
  return (
    <tbody aria-hidden>
      {range(Math.min(rows, 10)).map((row) => (
        <tr key={row}>
          {range(columns).map((column) => (
            <td key={column}>
              <Skeleton height={12} my={4} width={`${50 + ((row * 7 + column * 13) % 40)}%`} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function toText(value: CellValue): ReactNode {
  if (value === null) return '–';
  return typeof value === 'number' ? formatCount(value) : <PlatformText text={String(value)} />;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function isOnControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, select, label, [role="menu"]') !== null;
}

/** Selecting text in a row is not a click on it. */
function hasSelection(): boolean {
  return window.getSelection()?.isCollapsed === false;
}

/** Moves the focus between rows with the arrow keys, Home and End. */
function moveBetweenRows(event: KeyboardEvent<HTMLTableSectionElement>): void {
  if (!(event.target instanceof HTMLTableRowElement)) return;
  const rows = [...event.currentTarget.rows];
  const currentIndex = rows.indexOf(event.target);
  const targets: Record<string, number> = {
    ArrowDown: currentIndex + 1,
    ArrowUp: currentIndex - 1,
    Home: 0,
    End: rows.length - 1,
  };
  const target = rows[targets[event.key] ?? -1];
  if (!target) return;
  event.preventDefault();
  target.focus();
}
