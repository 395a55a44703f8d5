import { countOf, formatCount } from '../lib/format.ts';
import type { TablePage } from './use-table-model.ts';

/**
 * "11–20 of 95, found in 1,200". `rest`: what became of the rows that are not there, where `all`
 * are only the first.
 */
export function describeCount(page: TablePage<unknown>, all: number, rest: 'loading' | 'failed' | null): string {
  const { found, shown, firstNumber } = page;
  const restText = rest === null ? '' : `; the rest ${rest === 'loading' ? 'is loading …' : 'could not be loaded'}`;
  if (found.length === 0) return (all === 0 ? 'No rows' : `None of ${countOf(all, 'row')}`) + restText;
  const range = `${formatCount(firstNumber)}–${formatCount(firstNumber + shown.length - 1)} of `;
  const known = `${rest === null ? '' : 'the first '}${formatCount(all)}`;
  return (found.length === all ? range + known : `${range}${formatCount(found.length)}, found in ${known}`) + restText;
}
