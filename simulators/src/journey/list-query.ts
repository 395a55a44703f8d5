/**
 * Reads `limit`, `skip`, `total`, `sort[f]`, and `query[f.operator]` from a list's address. Empty
 * values count as missing.
 */
import { invalidRequest } from './api-problem.ts';
import { type Column, type Condition, type Operator, type Sort, toColumn } from './conditions.ts';
import type { Model } from './data-model.ts';

export const maxPageSize = 1000;

export interface Selection {
  readonly where: Condition;
  readonly sort: readonly Sort[];
  readonly limit: number;
  readonly skip: number;
  readonly withTotal: boolean;
}

export function readListQuery(model: Model, query: URLSearchParams): Selection {
  return {
    where: readFilter(model, query),
    sort: [...query].flatMap(([key, value]) => {
      const name = /^sort\[(.+)\]$/.exec(key)?.[1];
      return name === undefined || value === '' ? [] : [readSort(model, name, value)];
    }),
    ...readPage(query),
    withTotal: query.get('total') !== 'false',
  };
}

export function readPage(query: URLSearchParams): { limit: number; skip: number } {
  return {
    limit: Math.min(readCount('limit', query.get('limit')) ?? maxPageSize, maxPageSize),
    skip: readCount('skip', query.get('skip')) ?? 0,
  };
}

export function readCount(name: string, text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  if (!/^\d{1,9}$/.test(text)) throw invalidRequest(`'${name}' must be a whole number.`);
  return Number(text);
}

const suffixes: Readonly<Record<string, Operator>> = {
  ne: '!=',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  contains: 'contains',
  null: 'null',
};

export function readFilter(model: Model, query: URLSearchParams): Condition {
  return {
    all: [...query].flatMap(([key, text]) => {
      const inside = /^(?:query|q)\[(.+)\]$/.exec(key)?.[1];
      if (inside === undefined) return [];
      const [name = '', suffix] = inside.split('.');
      const operator = suffix === undefined ? '=' : suffixes[suffix];
      if (operator === undefined) throw invalidRequest(`There is no operator '.${suffix}'.`);
      const column = toColumn(model, name);
      return [
        { column, operator, operand: operator === 'null' ? readBoolean(inside, text) : readOperand(column, text) },
      ];
    }),
  };
}

/** Parses text from the address according to the column's type. */
function readOperand(column: Column, text: string): unknown {
  const type = column.field?.type ?? '';
  if (type.endsWith('integer') || type === 'number') {
    if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text))
      throw invalidRequest(`'${text}' is not a number, which ${column.name} requires.`);
    return Number(text);
  }
  return type === 'boolean' ? readBoolean(column.name, text) : text;
}

function readBoolean(name: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw invalidRequest(`'${name}' must be true or false.`);
  return text === 'true';
}

const directions: Readonly<Record<string, boolean>> = { asc: false, '1': false, desc: true, '-1': true };

function readSort(model: Model, name: string, direction: string): Sort {
  const descending = directions[direction];
  if (descending === undefined) throw invalidRequest(`'${direction}' is not a sort direction.`);
  return { column: name === '$natural' ? '$natural' : toColumn(model, name), descending };
}
