/** Defines which types can be synced: the specification's mapping, with enums as single choices. */
import type { FieldKind, FieldMap } from './object-map.ts';

type HeliumType = 'string' | 'int' | 'decimal' | 'bool' | 'date' | 'datetime' | 'blob';

/** PostgreSQL's type names, without size or precision. */
const heliumTypes: Readonly<Record<string, HeliumType>> = {
  text: 'string',
  'character varying': 'string',
  integer: 'int',
  'double precision': 'decimal',
  boolean: 'bool',
  date: 'date',
  'timestamp without time zone': 'datetime',
  bytea: 'blob',
};

/** Names in Helium's language of types that no Journey type can hold. */
const unsupportedInHelium: Readonly<Record<string, string>> = {
  bigint: 'bigint',
  uuid: 'uuid',
  json: 'json',
  jsonb: 'json',
  'jsonb[]': 'jsonarray',
};

const kindByTypes: Readonly<Record<HeliumType, Readonly<Record<string, FieldKind>>>> = {
  string: { text: 'text', 'single-choice': 'choice' },
  int: { integer: 'integer' },
  decimal: { number: 'number' },
  bool: { boolean: 'boolean' },
  date: { date: 'date' },
  datetime: { datetime: 'datetime' },
  blob: { photo: 'blob', signature: 'blob', attachment: 'blob' },
};

const supportedInJourney = new Set(Object.values(kindByTypes).flatMap((counterparts) => Object.keys(counterparts)));

export type FieldKindResult =
  | { readonly kind: FieldKind; readonly attachment?: NonNullable<FieldMap['attachment']> }
  /** Why the types cannot be synced, in a sentence. */
  | { readonly reason: string };

/** @param columnType as PostgreSQL writes it. @param journeyType without its subtype. */
export function findFieldKind(columnType: string, journeyType: string): FieldKindResult {
  if (!supportedInJourney.has(journeyType)) return { reason: `Journey's ${journeyType} cannot be synced.` };
  const plain = columnType.replace(/\(\d+\)/, '');
  const type = heliumTypes[plain];
  if (type === undefined) return { reason: `Helium's ${unsupportedInHelium[plain] ?? columnType} cannot be synced.` };
  const kind = kindByTypes[type][journeyType];
  if (kind === undefined) {
    const counterparts = Object.keys(kindByTypes[type]).join(' or ');
    return { reason: `It is ${journeyType} in Journey, but Helium's ${type} can only be synced with ${counterparts}.` };
  }
  return isAttachment(journeyType) ? { kind, attachment: journeyType } : { kind };
}

function isAttachment(type: string): type is NonNullable<FieldMap['attachment']> {
  return type === 'photo' || type === 'signature' || type === 'attachment';
}
