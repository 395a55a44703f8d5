/**
 * Translates filters and sort orders into SQL over `object`. Values compare as jsonb: numbers by
 * value, text by code points. Undocumented cases are our choice: null equals only null, differs
 * from every value, and sorts first; a multiple choice equals each of its keys.
 */
import pg from 'pg';
import { invalidRequest } from './api-problem.ts';
import { instantSeconds, instantText } from './calendar.ts';
import { type Field, isAttachment, isMultipleChoice, type Model } from './data-model.ts';
import { isLowerCaseUuid } from './json.ts';

export const operators = ['=', '!=', '<', '<=', '>', '>=', 'contains', 'starts with', 'in', 'not in', 'null'] as const;
export type Operator = (typeof operators)[number];

export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly column: Column; readonly operator: Operator; readonly operand: unknown };

export interface Sort {
  readonly column: Column | '$natural';
  readonly descending: boolean;
}

/** A column that can be queried; `kind` determines the type of its values. */
export interface Column {
  readonly name: string;
  readonly kind: 'id' | 'updated_at' | 'string' | 'number' | 'boolean' | 'array' | 'object';
  readonly field: Field | undefined;
}

/** Hidden fields are also accepted with the underscore that some clients write. */
export function toColumn(model: Model, name: string): Column {
  if (name === 'id' || name === '_id') return { name: 'id', kind: 'id', field: undefined };
  if (name === 'updated_at' || name === '_updated_at')
    return { name: 'updated_at', kind: 'updated_at', field: undefined };
  const stem = name.replace(/_id$/, '');
  if (model.belongsTo.has(stem)) return { name: `${stem}_id`, kind: 'string', field: undefined };
  const field = model.fields.get(name) ?? findAttachment(model, stem);
  if (field === undefined) throw invalidRequest(`${model.name} has no field '${name}'.`);
  return { name: field.name, kind: getColumnKind(field), field };
}

function findAttachment(model: Model, name: string): Field | undefined {
  const field = model.fields.get(name);
  return field !== undefined && isAttachment(field) ? field : undefined;
}

function getColumnKind(field: Field): Column['kind'] {
  if (isMultipleChoice(field)) return 'array';
  if (field.type === 'location' || field.type === 'track') return 'object';
  if (field.type === 'boolean') return 'boolean';
  return field.type === 'number' || field.type.endsWith('integer') ? 'number' : 'string';
}

/** Appends the condition's values to `values` and returns SQL that references them. */
export function conditionSql(condition: Condition, values: unknown[]): string {
  if ('all' in condition) return joined(condition.all, ' and ', 'true', values);
  if ('any' in condition) return joined(condition.any, ' or ', 'false', values);
  return comparisonSql(condition, values);
}

/** Sorts columns that are never null without `nulls first`, so that an index can be used. */
export function orderSql(sort: readonly Sort[]): string {
  const isUnique = sort.some(({ column }) => column === '$natural' || column.kind === 'id');
  return [...sort.map(sortSql), ...(isUnique ? [] : ['id'])].join(', ');
}

function sortSql({ column, descending }: Sort): string {
  const direction = descending ? 'desc' : 'asc';
  if (column === '$natural') return `created ${direction}`;
  if (column.kind === 'id' || column.kind === 'updated_at') return `${column.kind} ${direction}`;
  return `${columnSql(column)} ${descending ? 'desc nulls last' : 'asc nulls first'}`;
}

function joined(conditions: readonly Condition[], by: string, empty: string, values: unknown[]): string {
  return conditions.length === 0 ? empty : `(${conditions.map((one) => conditionSql(one, values)).join(by)})`;
}

/** Returns null for a value of another type, left over from an earlier data model. */
function columnSql({ name, kind }: Column): string {
  if (kind === 'id' || kind === 'updated_at') return kind;
  const value = `contents -> ${pg.escapeLiteral(name)}`;
  return `case jsonb_typeof(${value}) when '${kind}' then ${value} end`;
}

function comparisonSql(
  { column, operator, operand }: Extract<Condition, { column: Column }>,
  values: unknown[],
): string {
  const left = `(${columnSql(column)})`;
  const bound = (value: unknown, type = cast[column.kind]) => `$${values.push(value)}::${type}`;
  if (operator === 'null') return operand === false ? `${left} is not null` : `${left} is null`;
  if (operator === 'in' || operator === 'not in') {
    if (!Array.isArray(operand)) throw invalidRequest(`'${operator}' takes an array.`);
    const any: Condition = { any: operand.map((one: unknown) => ({ column, operator: '=', operand: one })) };
    return operator === 'in' ? conditionSql(any, values) : `(${conditionSql(any, values)}) is not true`;
  }
  if (operand === null) {
    if (operator === '=') return `${left} is null`;
    if (operator === '!=') return `${left} is not null`;
    return 'false';
  }
  if (operator === 'contains' || operator === 'starts with') {
    if (column.kind === 'array' && operator === 'contains') return `${left} @> ${bound(parameter(column, operand))}`;
    if (column.field?.type !== 'text' || typeof operand !== 'string')
      throw invalidRequest(`'${operator}' needs a text field and a text, but ${column.name} is not a text field.`);
    const words = bound(operand, 'text');
    return operator === 'contains'
      ? `position(${words} in ${left} #>> '{}') > 0`
      : `starts_with(${left} #>> '{}', ${words})`;
  }
  const right = bound(parameter(column, operand));
  if (column.kind === 'array') {
    if (operator === '=') return `${left} @> ${right}`;
    if (operator === '!=') return `(${left} @> ${right}) is not true`;
  }
  if (operator === '=') return `${left} = ${right}`;
  if (operator === '!=') return `${left} is distinct from ${right}`;
  if (column.kind === 'boolean' || column.kind === 'array' || column.kind === 'object')
    throw invalidRequest(`${column.name} cannot be compared by order.`);
  return `${left} ${operator} ${right}`;
}

const cast: Readonly<Record<Column['kind'], string>> = {
  id: 'uuid',
  updated_at: 'bigint',
  string: 'jsonb',
  number: 'jsonb',
  boolean: 'jsonb',
  array: 'jsonb',
  object: 'jsonb',
};

/** Converts the operand to its stored form, so that a date-time compares in whole seconds. */
function parameter(column: Column, operand: unknown): unknown {
  const { kind, name, field } = column;
  const wrong = () => invalidRequest(`${JSON.stringify(operand)} cannot be compared with ${name}.`);
  if (kind === 'id') {
    if (!isLowerCaseUuid(operand)) throw wrong();
    return operand;
  }
  if (kind === 'updated_at' || field?.type === 'datetime') {
    const seconds = typeof operand === 'string' ? instantSeconds(operand) : undefined;
    if (seconds === undefined) throw wrong();
    return kind === 'updated_at' ? seconds : JSON.stringify(instantText(seconds));
  }
  if (kind !== 'array' && typeof operand !== kind) throw wrong();
  if (kind === 'object' || (typeof operand === 'string' && operand.includes('\0'))) throw wrong();
  return JSON.stringify(operand);
}
