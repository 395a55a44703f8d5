import { createContext, use, useCallback, useState } from 'react';
import { remembered } from '../lib/remembered.ts';
import { useAddress } from '../lib/use-address.ts';
import { pageSizes, readTableAddress, type TableAddress, writeTableAddress } from './table-address.ts';
import type { Sort } from './table-rows.ts';
import { useTyped } from './use-typed.ts';

/** Under which key of this browser's storage tables are remembered: one for each user. */
export const TableStorageKey = createContext('table');

const addressDelayMs = 250;

/** What is remembered of a table for a user in this browser. */
interface Taste {
  readonly size: number | null;
  /** Column id → shown, where it differs from the table's own choice. */
  readonly columns: Readonly<Record<string, boolean>>;
}

function readTaste(key: string): Taste {
  const kept = remembered.get(key);
  if (typeof kept !== 'object' || kept === null) return { size: null, columns: {} };
  const size = 'size' in kept && pageSizes.some((known) => known === kept.size) ? Number(kept.size) : null;
  const columns: Record<string, boolean> = {};
  if ('columns' in kept && typeof kept.columns === 'object' && kept.columns !== null) {
    for (const [id, shown] of Object.entries(kept.columns)) columns[id] = shown === true;
  }
  return { size, columns };
}

/** Search, sort and page live in the address; page size and columns are remembered for the user. */
export function useTableState(name: string, options: { defaultSort: Sort | null; pageSize: number; prefix: string }) {
  const tasteKey = `${use(TableStorageKey)}.${name}`;
  const [taste, setTaste] = useState(() => readTaste(tasteKey));
  const [address, changeAddress] = useAddress();
  const table = readTableAddress(address, options.prefix);

  const change = useCallback(
    (next: Partial<TableAddress>) =>
      changeAddress((current) =>
        writeTableAddress(current, { ...readTableAddress(current, options.prefix), ...next }, options.prefix),
      ),
    [changeAddress, options.prefix],
  );

  const typed = useTyped(table.q, (q) => change({ q, page: 1 }), addressDelayMs);

  const keep = (next: Taste) => {
    setTaste(next);
    remembered.set(tasteKey, next);
  };
  const size = table.size ?? taste.size ?? options.pageSize;

  return {
    search: typed.text,
    setSearch: typed.setText,
    sort: table.sort ?? options.defaultSort,
    setSort: (sort: Sort) => change({ sort, page: 1 }),
    /** While a search has not reached the address yet, its first page is meant. */
    page: typed.text === table.q ? table.page : 1,
    /** The size goes along, so that the third page is the same page for whoever gets the link. */
    setPage: (page: number) => change({ page, size: page > 1 ? size : null }),
    size,
    setSize: (next: number) => {
      keep({ ...taste, size: next });
      change({ size: null, page: 1 });
    },
    columns: taste.columns,
    showColumn: (id: string, shown: boolean) => keep({ ...taste, columns: { ...taste.columns, [id]: shown } }),
    resetColumns: () => keep({ ...taste, columns: {} }),
  };
}

export type TableState = ReturnType<typeof useTableState>;
