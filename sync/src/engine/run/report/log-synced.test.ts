import { expect, it } from 'vitest';
import { createIntegration } from '../../testing/sync-integration.fixture.ts';
import { describeKeys, logSynced } from './log-synced.ts';

const integration = createIntegration({ id: '5f1c', url: 'http://journey.example', userName: '5f1c' }, 'app');
const keys = [
  { table: 'farmer', id: 'a' },
  { table: 'visit', id: 'b' },
  { table: 'farmer', id: 'c' },
];

const log = (logRecordIds?: boolean) => {
  const lines: string[] = [];
  const config = { ...integration.config, ...(logRecordIds !== undefined && { logRecordIds }) };
  const run = {
    integration: { ...integration, config },
    log: (key: string, value: string) => void lines.push(`${key} ${value}`),
  };
  logSynced(run, { direction: 'Helium → Journey', done: 'sent', keys, facts: ['1 refused'] });
  return lines;
};

it('logs the number of records of each object, and no ids unless they are switched on', () => {
  const counts = 'INFO Helium → Journey: 2 farmer, 1 visit sent, 1 refused.';
  expect(log()).toEqual([counts]);
  expect(log(false)).toEqual([counts]);
  expect(log(true)).toEqual([
    counts,
    'FINE Helium → Journey: farmer/a sent.',
    'FINE Helium → Journey: visit/b sent.',
    'FINE Helium → Journey: farmer/c sent.',
  ]);
});

it('separates thousands', () => {
  expect(describeKeys(Array.from({ length: 1200 }, (_, at) => ({ table: 'visit', id: String(at) })))).toBe(
    '1,200 visit',
  );
});
