import type { Address } from '../../state/address.ts';
import type { Sort } from './rows.ts';

/** The state of a table in the address. `null` means the default. */
export interface TableAddress {
  readonly q: string;
  readonly sort: Sort | null;
  readonly page: number;
  readonly size: number | null;
}

export const pageSizes = [10, 25, 50, 100] as const;

/**
 * Reads the table state. `prefix` separates two tables of one page: "events" turns q into events.q.
 */
export function readTableAddress(address: Address, prefix = ''): TableAddress {
  const getParam = (name: string) => address[toParamName(name, prefix)];
  const page = Number(getParam('page'));
  const size = Number(getParam('size'));
  return {
    q: getParam('q') ?? '',
    sort: readSort(getParam('sort')),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    size: pageSizes.some((allowed) => allowed === size) ? size : null,
  };
}

/** Returns the address with the table's state replaced. Omits defaults. */
export function writeTableAddress(address: Address, table: TableAddress, prefix = ''): Address {
  const parts: Record<string, string> = {
    q: table.q,
    sort: table.sort ? `${table.sort.descending ? '-' : ''}${table.sort.id}` : '',
    page: table.page > 1 ? String(table.page) : '',
    size: table.size === null ? '' : String(table.size),
  };
  const next: Record<string, string> = { ...address };
  for (const [name, text] of Object.entries(parts)) {
    if (text === '') delete next[toParamName(name, prefix)];
    else next[toParamName(name, prefix)] = text;
  }
  return next;
}

function toParamName(name: string, prefix: string): string {
  return prefix === '' ? name : `${prefix}.${name}`;
}

/** Parses a sort: "name" is ascending, "-name" descending. */
function readSort(text: string | undefined): Sort | null {
  if (!text || text === '-') return null;
  return text.startsWith('-') ? { id: text.slice(1), descending: true } : { id: text, descending: false };
}
