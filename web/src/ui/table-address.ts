import type { Address } from '../lib/address.ts';
import type { Sort } from './table-rows.ts';

/** What of a table stands in the address. `null` means: as by default. */
export interface TableAddress {
  readonly q: string;
  readonly sort: Sort | null;
  readonly page: number;
  readonly size: number | null;
}

export const pageSizes = [10, 25, 50, 100] as const;

/** `prefix` keeps two tables of one page apart: "events" makes q into events.q. */
export function readTableAddress(address: Address, prefix = ''): TableAddress {
  const at = (name: string) => address[keyOf(name, prefix)];
  const page = Number(at('page'));
  const size = Number(at('size'));
  return {
    q: at('q') ?? '',
    sort: readSort(at('sort')),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    size: pageSizes.some((known) => known === size) ? size : null,
  };
}

/** The address with the table's part replaced; what is as by default is left out. */
export function writeTableAddress(address: Address, table: TableAddress, prefix = ''): Address {
  const parts: Record<string, string> = {
    q: table.q,
    sort: table.sort ? `${table.sort.descending ? '-' : ''}${table.sort.id}` : '',
    page: table.page > 1 ? String(table.page) : '',
    size: table.size === null ? '' : String(table.size),
  };
  const next: Record<string, string> = { ...address };
  for (const [name, text] of Object.entries(parts)) {
    if (text === '') delete next[keyOf(name, prefix)];
    else next[keyOf(name, prefix)] = text;
  }
  return next;
}

function keyOf(name: string, prefix: string): string {
  return prefix === '' ? name : `${prefix}.${name}`;
}

/** "name" ascends, "-name" descends. */
function readSort(text: string | undefined): Sort | null {
  if (!text || text === '-') return null;
  return text.startsWith('-') ? { id: text.slice(1), descending: true } : { id: text, descending: false };
}
