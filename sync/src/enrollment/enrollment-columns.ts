/** Finds the columns for the configured names. */
import {
  type FieldHint,
  fieldHintTexts,
  type sessionContainerObjectFieldHints,
  type sessionObjectFieldHints,
  type sessionUserFieldHints,
  type userFieldHints,
} from '@portal/contract/sync/enrollment';
import { Invalid } from '@portal/kit/problems';
import type { Column, HeliumCatalog, Table } from '../mapping/helium-catalog.ts';
import { isText } from './cells.ts';

export type UserField = keyof typeof userFieldHints;
export type SessionUserField = keyof typeof sessionUserFieldHints;
export type SessionField = keyof typeof sessionObjectFieldHints;
export type ContainerField = keyof typeof sessionContainerObjectFieldHints;

/** Columns by their names in the configuration. */
export type Columns<Name extends string> = ReadonlyMap<Name, Column>;

interface FieldProblem {
  readonly field: string;
  readonly reason: string;
}

/** A Helium table has the lower-case name of its object. */
export function findTable({ tables }: HeliumCatalog, objectName: string): Table | undefined {
  const name = objectName.trim().toLowerCase();
  return tables.find((table) => table.name === name && table.kind === 'table');
}

/**
 * Returns the columns of an object that was checked before. Throws Invalid when it no longer
 * exists.
 */
export function requireColumns<Name extends string>(
  catalog: HeliumCatalog,
  objectName: string,
  names: { readonly [N in NoInfer<Name>]?: string | undefined },
  hints: Readonly<Record<Name, FieldHint>>,
): { readonly table: string; readonly columns: Columns<Name> } {
  const table = findTable(catalog, objectName);
  if (table === undefined) throw new Invalid(`The app has no object ${objectName}.`);
  return { table: table.name, columns: findColumns(table, names, hints).columns };
}

/** Returns the columns that were found, and problems for the others. Empty names are skipped. */
export function findColumns<Name extends string>(
  table: Table,
  names: { readonly [N in NoInfer<Name>]?: string | undefined },
  hints: Readonly<Record<Name, FieldHint>>,
): { readonly columns: Columns<Name>; readonly problems: readonly FieldProblem[] } {
  const columns = new Map<Name, Column>();
  const problems: FieldProblem[] = [];
  const usedColumns = new Map<string, string>();
  for (const field in hints) {
    const name = names[field]?.trim();
    if (!name) continue;
    const column = findColumn(table, name, hints[field]);
    const reason = findProblem(table, name, column, hints[field]) ?? findDuplicate(column, usedColumns);
    if (reason !== undefined) problems.push({ field, reason });
    if (column === undefined) continue;
    columns.set(field, column);
    usedColumns.set(column.name, field);
  }
  return { columns, problems };
}

/** A relation may be named without the `_fk` of its column, or with Fk instead. */
function findColumn({ columns }: Table, name: string, hint: FieldHint): Column | undefined {
  const lower = name.toLowerCase();
  const candidates = hint === 'uuid' ? [lower, `${lower}_fk`, lower.replace(/fk$/, '_fk')] : [lower];
  return candidates.flatMap((one) => columns.find((column) => column.name === one) ?? [])[0];
}

/** Helium's system columns, and the name and type columns of a blob. */
const systemColumnName = /^_(id|tstamp|tx_id|change_type|change_seq)_$|__$/;

function findProblem(table: Table, name: string, column: Column | undefined, hint: FieldHint): string | undefined {
  if (column === undefined || systemColumnName.test(column.name))
    return `The object ${table.name} has no attribute ${name}.`;
  if (isSupportedType(column.type, hint)) return undefined;
  return `The attribute ${name} of ${table.name} is of type ${column.type}; it must be ${fieldHintTexts[hint]}.`;
}

function findDuplicate(column: Column | undefined, usedColumns: ReadonlyMap<string, string>): string | undefined {
  const other = column && usedColumns.get(column.name);
  return other === undefined ? undefined : `The attribute is already used for ${other}.`;
}

function isSupportedType(type: string, hint: FieldHint): boolean {
  switch (hint) {
    case 'flag':
    case 'request':
      return type === 'boolean' || isText(type);
    case 'moment':
      return type === 'date' || type.startsWith('timestamp') || isText(type);
    case 'string':
      return isText(type);
    case 'uuid':
      return type === 'uuid';
  }
}
