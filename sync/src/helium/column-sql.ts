import type { FieldKind, FieldMap } from '../mapping/object-map.ts';
import type { Value } from '../record/fields.ts';
import { quote } from './sql-names.ts';

/** What PostgreSQL answers for `columnSql`: numbers also where JSON has none. */
type ColumnResult = null | boolean | number | string;

/**
 * A column in its canonical form. Moments are written as JSON has them, because what their text
 * looks like is a setting of the server.
 */
export function toColumnSql({ column, kind }: FieldMap): string {
  const name = quote(column);
  switch (kind) {
    case 'integer':
    case 'number':
      return `${name}::float8`;
    case 'boolean':
      return `${name}::boolean`;
    case 'date':
      return `(to_jsonb(${name}::date) #>> '{}')`;
    case 'datetime': {
      const text = `(to_jsonb(date_trunc('second', ${name}::timestamp)) #>> '{}')`;
      return `case when isfinite(${name}::timestamp) then ${text} || 'Z' else ${text} end`;
    }
    case 'blob':
      return `'sha256:' || encode(sha256(${name}), 'hex')`;
    case 'text':
    case 'choice':
    case 'reference':
      return `${name}::text`;
  }
}

/**
 * What JSON has no number for stays a text, which no Journey takes: the record is held with a
 * reason rather than emptied or rounded.
 */
export function toFieldValue(kind: FieldKind, result: ColumnResult): Value {
  if (typeof result !== 'number') return result;
  const isExact = kind === 'integer' ? Number.isSafeInteger(result) : Number.isFinite(result);
  if (!isExact) return String(result);
  // Minus zero is zero.
  return result === 0 ? 0 : result;
}
