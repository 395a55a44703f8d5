import { createContext, use, useCallback, useState } from 'react';
import { browserStorage } from '../../state/browser-storage.ts';
import { useAddress } from '../../state/use-address.ts';
import { useDebouncedInput } from '../use-debounced-input.ts';
import { pageSizes, readTableAddress, type TableAddress, writeTableAddress } from './address.ts';
import type { Sort } from './rows.ts';

/** Where the settings of tables are stored, by the name of the table. */
export const TableStorage = createContext<{
  get(name: string): unknown;
  set(name: string, value: unknown): void;
}>(browserStorage);

const addressDelayMs = 250;

/** The stored settings of a table for one user. */
interface TablePreferences {
  readonly size: number | null;
  /** Whether the named order of the table is chosen. */
  readonly isNamedOrder: boolean;
  /** Column id → visible, where it differs from the default. */
  readonly columns: Readonly<Record<string, boolean>>;
}

function toPreferences(stored: unknown): TablePreferences {
  if (typeof stored !== 'object' || stored === null) return { size: null, isNamedOrder: false, columns: {} };
  const size = 'size' in stored && pageSizes.some((allowed) => allowed === stored.size) ? Number(stored.size) : null;
  const columns: Record<string, boolean> = {};
  if ('columns' in stored && typeof stored.columns === 'object' && stored.columns !== null) {
    for (const [id, shown] of Object.entries(stored.columns)) columns[id] = shown === true;
  }
  return { size, isNamedOrder: 'isNamedOrder' in stored && stored.isNamedOrder === true, columns };
}

export interface TableStateOptions {
  readonly defaultSort: Sort | null;
  /** The id of the order that is remembered, if there is one. */
  readonly namedOrderId?: string | undefined;
  readonly pageSize: number;
  readonly prefix: string;
}

/**
 * Manages the state of a table. Search, sort and page are in the address; page size, columns and
 * whether the named order is chosen are stored for the user.
 */
export function useTableState(name: string, options: TableStateOptions) {
  const { namedOrderId } = options;
  const storage = use(TableStorage);
  const [preferences, setPreferences] = useState(() => toPreferences(storage.get(name)));
  const [address, changeAddress] = useAddress();
  const table = readTableAddress(address, options.prefix);

  const change = useCallback(
    (next: Partial<TableAddress>) =>
      changeAddress((current) =>
        writeTableAddress(current, { ...readTableAddress(current, options.prefix), ...next }, options.prefix),
      ),
    [changeAddress, options.prefix],
  );

  const searchInput = useDebouncedInput(table.q, (q) => change({ q, page: 1 }), addressDelayMs);

  const savePreferences = (next: TablePreferences) => {
    setPreferences(next);
    storage.set(name, next);
  };
  const size = table.size ?? preferences.size ?? options.pageSize;

  return {
    search: searchInput.text,
    setSearch: searchInput.setText,
    sort:
      table.sort ??
      (namedOrderId !== undefined && preferences.isNamedOrder
        ? { id: namedOrderId, descending: false }
        : options.defaultSort),
    /** null is the default order. */
    setSort(sort: Sort | null) {
      const isNamedOrder = sort !== null && sort.id === namedOrderId;
      if (isNamedOrder !== preferences.isNamedOrder) savePreferences({ ...preferences, isNamedOrder });
      change({ sort, page: 1 });
    },
    /** Page 1 until a new search is in the address. */
    page: searchInput.text === table.q ? table.page : 1,
    /** Includes the size, so that a link to page 3 shows the same rows to others. */
    setPage: (page: number) => change({ page, size: page > 1 ? size : null }),
    size,
    setSize: (next: number) => {
      savePreferences({ ...preferences, size: next });
      change({ size: null, page: 1 });
    },
    columns: preferences.columns,
    showColumn: (id: string, shown: boolean) =>
      savePreferences({ ...preferences, columns: { ...preferences.columns, [id]: shown } }),
    resetColumns: () => savePreferences({ ...preferences, columns: {} }),
  };
}

export type TableState = ReturnType<typeof useTableState>;
