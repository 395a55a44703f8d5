/** Which types go together: the specification's mapping, with enums as single choices. */
import type { FieldKind, FieldMap } from './object-map.ts';

type HeliumType = 'string' | 'int' | 'decimal' | 'bool' | 'date' | 'datetime' | 'blob';

/** PostgreSQL's type names; a size or precision in brackets does not matter. */
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

/** As Helium's language calls those that no Journey type can hold. */
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

type KindFound =
  | { readonly kind: FieldKind; readonly attachment?: NonNullable<FieldMap['attachment']> }
  /** Why they do not go together, in words. */
  | { readonly reason: string };

/** @param columnType As PostgreSQL writes it. @param journeyType Without its subtype. */
export function kindOf(columnType: string, journeyType: string): KindFound {
  if (!supportedInJourney.has(journeyType)) return { reason: `Journey's ${journeyType} cannot be synced.` };
  const plain = columnType.replace(/\(\d+\)/, '');
  const type = heliumTypes[plain];
  if (type === undefined) return { reason: `Helium's ${unsupportedInHelium[plain] ?? columnType} cannot be synced.` };
  const kind = kindByTypes[type][journeyType];
  if (kind === undefined) {
    const counterparts = Object.keys(kindByTypes[type]).join(' or ');
    return { reason: `It is ${journeyType} in Journey, but Helium's ${type} goes with ${counterparts}.` };
  }
  return isAttachment(journeyType) ? { kind, attachment: journeyType } : { kind };
}

function isAttachment(type: string): type is NonNullable<FieldMap['attachment']> {
  return type === 'photo' || type === 'signature' || type === 'attachment';
}
