import { toFieldFile } from '../mapping/file-values.ts';
import { type FieldMap, toNameColumn } from '../mapping/object-map.ts';
import type { Value } from '../record/fields.ts';
import { getFileHash, getFileName } from '../record/file-value.ts';
import { quote } from './sql-names.ts';

/**
 * The result of `toColumnSql` as PostgreSQL returns it, including numbers that JSON cannot
 * represent.
 */
type ColumnResult = null | boolean | number | string;

/**
 * Returns the SQL of a column in its canonical form. Timestamps use JSON's format, because their
 * text format is a server setting.
 */
export function toColumnSql({ column, kind, isNamed }: FieldMap): string {
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
      return `'sha256:' || encode(sha256(${name}), 'hex')${isNamed ? ` || '/' || coalesce(${quote(toNameColumn(column))}, '')` : ''}`;
    case 'text':
    case 'choice':
    case 'reference':
      return `${name}::text`;
  }
}

/**
 * Converts a query result to a value. Numbers that JSON cannot represent stay texts, which no
 * Journey accepts: the record is held with a reason instead of being emptied or rounded.
 */
export function toFieldValue(field: FieldMap, result: ColumnResult): Value {
  const { kind } = field;
  if (kind === 'blob' && typeof result === 'string')
    return toFieldFile(field, getFileHash(result), getFileName(result));
  if (typeof result !== 'number') return result;
  const isExact = kind === 'integer' ? Number.isSafeInteger(result) : Number.isFinite(result);
  if (!isExact) return String(result);
  // Negative zero becomes zero.
  return result === 0 ? 0 : result;
}
