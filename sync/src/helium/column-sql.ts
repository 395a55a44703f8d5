import { isRounded, parseDecimal, shortenReal } from '../mapping/decimals.ts';
import { toFieldFile } from '../mapping/file-values.ts';
import { type FieldMap, type Storage, toNameColumn } from '../mapping/object-map.ts';
import type { Value } from '../record/fields.ts';
import { getFileHash, getFileName } from '../record/file-value.ts';
import { quote } from './sql-names.ts';

/**
 * The result of `toColumnSql` as PostgreSQL returns it, including numbers that JSON cannot
 * represent.
 */
export type ColumnResult = null | boolean | number | string;

/**
 * Returns the SQL of a column in its canonical form. Timestamps use JSON's format, because their
 * text format is a server setting.
 */
export function toColumnSql({ column, kind, storage, isNamed }: FieldMap): string {
  const name = quote(column);
  switch (kind) {
    case 'integer':
    case 'number':
      return storage === 'numeric' || storage === 'bigint' ? `${name}::text` : `${name}::float8`;
    case 'boolean':
      return `${name}::boolean`;
    case 'date':
      return `(to_jsonb(${name}::date) #>> '{}')`;
    case 'datetime': {
      const timestamp = toTimestampSql({ column, storage });
      const text = `(to_jsonb(date_trunc('second', ${timestamp})) #>> '{}')`;
      return `case when isfinite(${timestamp}) then ${text} || 'Z' else ${text} end`;
    }
    case 'blob':
      return `'sha256:' || encode(sha256(${name}), 'hex')${isNamed ? ` || '/' || coalesce(${quote(toNameColumn(column))}, '')` : ''}`;
    case 'text':
    case 'choice':
    case 'reference':
      return `${name}::text`;
  }
}

/** Returns the SQL of a time in UTC, without its zone. */
export function toTimestampSql({
  column,
  storage,
}: Pick<FieldMap, 'column'> & { storage?: Storage | undefined }): string {
  return storage === 'timestamptz' ? `(${quote(column)} at time zone 'UTC')` : `${quote(column)}::timestamp`;
}

/**
 * Converts a query result to a value. Numbers that JSON cannot represent stay texts, which no
 * Journey accepts: the record is held with a reason instead of being emptied or rounded.
 */
export function toFieldValue(field: FieldMap, result: ColumnResult): Value {
  const { kind, storage } = field;
  if (kind === 'blob' && typeof result === 'string')
    return toFieldFile(field, getFileHash(result), getFileName(result));
  const value = isDecimalText(field, result) ? parseDecimal(result) : result;
  if (typeof value !== 'number') return value;
  const isExact = kind === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (!isExact) return String(result);
  if (storage === 'real') return shortenReal(value);
  // Negative zero becomes zero.
  return value === 0 ? 0 : value;
}

/** Whether the value of `toFieldValue` has fewer digits than the column has. */
export function isRoundedValue(field: FieldMap, result: ColumnResult, value: Value): boolean {
  return typeof value === 'number' && isDecimalText(field, result) && isRounded(result, value);
}

function isDecimalText({ kind, storage }: FieldMap, result: ColumnResult): result is string {
  return typeof result === 'string' && (kind === 'number' || kind === 'integer') && storage !== undefined;
}
