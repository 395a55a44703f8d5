/** Defines which types can be synced: the specification's mapping, with enums as single choices. */
import type { FieldKind, FieldMap, Storage } from './object-map.ts';

type HeliumType = 'string' | 'int' | 'bigint' | 'decimal' | 'whole decimal' | 'bool' | 'date' | 'datetime' | 'blob';

interface ColumnType {
  readonly type: HeliumType;
  readonly storage?: Storage;
}

/** PostgreSQL's type names, without schema, size and precision. */
const columnTypes: Readonly<Record<string, ColumnType>> = {
  text: { type: 'string' },
  'character varying': { type: 'string' },
  citext: { type: 'string' },
  character: { type: 'string', storage: 'char' },
  bpchar: { type: 'string', storage: 'char' },
  smallint: { type: 'int', storage: 'smallint' },
  integer: { type: 'int' },
  bigint: { type: 'bigint', storage: 'bigint' },
  real: { type: 'decimal', storage: 'real' },
  'double precision': { type: 'decimal' },
  numeric: { type: 'decimal', storage: 'numeric' },
  boolean: { type: 'bool' },
  date: { type: 'date' },
  'timestamp without time zone': { type: 'datetime' },
  'timestamp with time zone': { type: 'datetime', storage: 'timestamptz' },
  bytea: { type: 'blob' },
};

/** Names in Helium's language of types that no Journey type can hold. */
const unsupportedInHelium: Readonly<Record<string, string>> = {
  uuid: 'uuid',
  json: 'json',
  jsonb: 'json',
  'jsonb[]': 'jsonarray',
};

const kindByTypes: Readonly<Record<HeliumType, Readonly<Record<string, FieldKind>>>> = {
  string: { text: 'text', 'single-choice': 'choice' },
  int: { integer: 'integer', number: 'integer' },
  bigint: { integer: 'integer', number: 'integer' },
  decimal: { number: 'number' },
  'whole decimal': { number: 'number', integer: 'integer' },
  bool: { boolean: 'boolean' },
  date: { date: 'date' },
  datetime: { datetime: 'datetime' },
  blob: { photo: 'blob', signature: 'blob', attachment: 'blob' },
};

const supportedInJourney = new Set(Object.values(kindByTypes).flatMap((counterparts) => Object.keys(counterparts)));

export type FieldKindResult =
  | Pick<FieldMap, 'kind' | 'storage' | 'attachment'>
  /** Why the types cannot be synced, in a sentence. */
  | { readonly reason: string };

/** @param columnType as PostgreSQL writes it. @param journeyType without its subtype. */
export function findFieldKind(columnType: string, journeyType: string): FieldKindResult {
  if (!supportedInJourney.has(journeyType)) return { reason: `Journey's ${journeyType} cannot be synced.` };
  const found = findColumnType(columnType);
  if (!found) return { reason: `Helium's ${unsupportedInHelium[columnType] ?? columnType} cannot be synced.` };
  const { type, ...storage } = found;
  const kind = kindByTypes[type][journeyType];
  if (kind === undefined) {
    const counterparts = Object.keys(kindByTypes[type]).join(' or ');
    return { reason: `It is ${journeyType} in Journey, but Helium's ${type} can only be synced with ${counterparts}.` };
  }
  return { kind, ...storage, ...(isAttachment(journeyType) && { attachment: journeyType }) };
}

function findColumnType(columnType: string): ColumnType | undefined {
  const plain = columnType.replace(/\([\d,-]+\)/, '');
  const [, scale] = /^numeric\(\d+,(-?\d+)\)$/.exec(columnType) ?? [];
  if (scale !== undefined && Number(scale) <= 0) return { type: 'whole decimal', storage: 'numeric' };
  // An extension's type has its schema, unless it is in the search path.
  return columnTypes[plain.endsWith('.citext') ? 'citext' : plain];
}

function isAttachment(type: string): type is NonNullable<FieldMap['attachment']> {
  return type === 'photo' || type === 'signature' || type === 'attachment';
}
