import { formatCount, formatPlural } from '../../format/numbers.ts';
import type { TablePage } from './use-table-model.ts';

/**
 * Describes the visible rows: "11–20 of 95, found in 1,200". `rest` is the state of the rows beyond
 * `all`, or null when all are loaded.
 */
export function describeCount(page: TablePage<unknown>, all: number, rest: 'loading' | 'failed' | null): string {
  const { found, shown, firstNumber } = page;
  const restText = rest === null ? '' : `; the rest ${rest === 'loading' ? 'is loading …' : 'could not be loaded'}`;
  if (found.length === 0) return (all === 0 ? 'No rows' : `None of ${formatPlural(all, 'row')}`) + restText;
  const last = Math.min(firstNumber + shown.length - 1, found.length);
  const range = `${formatCount(firstNumber)}–${formatCount(last)} of `;
  const known = `${rest === null ? '' : 'the first '}${formatCount(all)}`;
  return (found.length === all ? range + known : `${range}${formatCount(found.length)}, found in ${known}`) + restText;
}
