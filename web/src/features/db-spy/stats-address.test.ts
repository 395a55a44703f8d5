import { expect, test } from 'vitest';
import { pickChartSize, readChartChoice, readStatsFilter, withValues } from './stats-address.ts';

test('reads an empty stats address as the defaults: the top 5 by mean time, descending, since the reset', () => {
  expect(readChartChoice({})).toEqual({ metric: 'mean_time', order: 'descending', size: 5, view: 'pie' });
  expect(readStatsFilter({})).toEqual({ range: 'reset', search: '', minCalls: 0, withPortalStatements: false });
});

test('reads valid values from the stats address and ignores invalid ones', () => {
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
    withPortalStatements: true,
  });
  expect(readStatsFilter({ range: 'year', calls: '1.5', own: 'yes' })).toEqual(readStatsFilter({}));
});

test('picks a chart size in steps of five, up to the number of rows', () => {
  expect(pickChartSize(5, 0)).toBe(5);
  expect(pickChartSize(7, 100)).toBe(10);
  expect(pickChartSize(500, 12)).toBe(15);
});

test('removes default and empty values from the stats address and keeps other parameters', () => {
  const address = { tab: 'table', metric: 'calls' };
  expect(withValues(address, { metric: 'mean_time' })).toEqual({ tab: 'table' });
  expect(withValues(address, { sql: '' })).toEqual(address);
  expect(withValues(address, { sql: 'visit', calls: '0' })).toEqual({ ...address, sql: 'visit' });
});
