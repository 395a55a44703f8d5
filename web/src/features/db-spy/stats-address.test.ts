import { expect, test } from 'vitest';
import { readChartChoice, readStatsFilter, sizeFor, withValues } from './stats-address.ts';

test('an empty address means the defaults: the top 5 by mean time, descending, since the reset', () => {
  expect(readChartChoice({})).toEqual({ metric: 'mean_time', order: 'descending', size: 5, view: 'pie' });
  expect(readStatsFilter({})).toEqual({ range: 'reset', search: '', minCalls: 0, withOwn: false });
});

test('what the address says is read, and what it cannot mean is not', () => {
  expect(readChartChoice({ metric: 'calls', order: 'ascending', top: '15', view: 'bars' })).toEqual({
    metric: 'calls',
    order: 'ascending',
    size: 15,
    view: 'bars',
  });
  expect(readChartChoice({ metric: 'constructor', order: 'up', top: '-5', view: 'cake' })).toEqual(readChartChoice({}));
  expect(readStatsFilter({ range: 'day', sql: 'visit', calls: '3', own: 'shown' })).toEqual({
    range: 'day',
    search: 'visit',
    minCalls: 3,
    withOwn: true,
  });
  expect(readStatsFilter({ range: 'year', calls: '1.5', own: 'yes' })).toEqual(readStatsFilter({}));
});

test('as many are charted as there are, in steps of five', () => {
  expect(sizeFor(5, 0)).toBe(5);
  expect(sizeFor(7, 100)).toBe(10);
  expect(sizeFor(500, 12)).toBe(15);
});

test('defaults and empty values leave the address; what else stands in it stays', () => {
  const address = { tab: 'table', metric: 'calls' };
  expect(withValues(address, { metric: 'mean_time' })).toEqual({ tab: 'table' });
  expect(withValues(address, { sql: '' })).toEqual(address);
  expect(withValues(address, { sql: 'visit', calls: '0' })).toEqual({ ...address, sql: 'visit' });
});
