import { ActionIcon, TextInput } from '@mantine/core';
import { IconDownload, IconSearch, IconX } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { CheckBox } from '../check-box.tsx';
import { ColumnChoice } from './column-choice.tsx';
import styles from './data-table.module.css';
import type { DataColumn, NamedOrder } from './data-table.types.ts';
import type { TableState } from './use-table-state.ts';

/** Search, page-specific filters, columns and export above a table. */
export function TableToolbar<Row>(props: {
  name: string;
  state: TableState;
  searchable: boolean;
  columns: readonly DataColumn<Row>[];
  shown: readonly DataColumn<Row>[];
  namedOrder: NamedOrder<Row> | null;
  /** null when there is nothing to export */
  exportCsv: (() => void) | null;
  children?: ReactNode;
}) {
  const { name, state, columns, shown, namedOrder } = props;
  const input = useRef<HTMLInputElement>(null);
  const sortable = columns.filter((column) => column.sortable !== false);
  return (
    <div className={styles.toolbar}>
      {props.searchable && (
        <TextInput
          ref={input}
          className={styles.search}
          type="search"
          data-table-search
          aria-label={`Search ${name}`}
          placeholder="Search"
          value={state.search}
          onChange={(event) => state.setSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || state.search === '') return;
            event.stopPropagation();
            state.setSearch('');
          }}
          leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
          rightSection={
            state.search === '' ? null : (
              <ActionIcon
                variant="subtle"
                color="gray"
                size={24}
                aria-label="Clear search"
                onClick={() => {
                  state.setSearch('');
                  input.current?.focus();
                }}
              >
                <IconX size={14} aria-hidden />
              </ActionIcon>
            )
          }
        />
      )}
      {/* The palette offers the buttons of the page as its actions. */}
      <span className={styles.pageTools} data-page-actions>
        {props.children}
      </span>
      <span className={styles.space} />
      {sortable.length > 0 && (
        <select
          className={styles.narrowSort}
          aria-label={`Sort ${name}`}
          value={state.sort ? `${state.sort.descending ? '-' : ''}${state.sort.id}` : ''}
          onChange={({ currentTarget: { value } }) =>
            state.setSort({ id: value.replace(/^-/, ''), descending: value.startsWith('-') })
          }
        >
          {state.sort === null && <option value="">Sort by</option>}
          {sortable.flatMap((column) => [
            <option key={column.id} value={column.id}>
              {column.header} ↑
            </option>,
            <option key={`-${column.id}`} value={`-${column.id}`}>
              {column.header} ↓
            </option>,
          ])}
          {namedOrder && <option value={namedOrder.id}>{namedOrder.label}</option>}
        </select>
      )}
      <span className={styles.tools}>
        {namedOrder && (
          <CheckBox
            className={styles.namedOrder}
            label={namedOrder.label}
            checked={state.sort?.id === namedOrder.id}
            onChange={(isChosen) => state.setSort(isChosen ? { id: namedOrder.id, descending: false } : null)}
          />
        )}
        {columns.length > 1 && <ColumnChoice name={name} state={state} columns={columns} shown={shown} />}
        {props.exportCsv && (
          <ActionIcon
            variant="default"
            size={32}
            aria-label={`Download ${name} as CSV`}
            title="Download filtered rows as CSV"
            onClick={props.exportCsv}
          >
            <IconDownload size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        )}
      </span>
    </div>
  );
}
