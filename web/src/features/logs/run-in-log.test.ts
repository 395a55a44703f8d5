import { describe, expect, it } from 'vitest';
import { getRunSql, readRunTimes, withoutRunTimes } from './run-in-log.ts';

const from = '2026-11-23T12:59:40.000Z';

describe('times of a run in the address', () => {
  it('are read, and end where they start if the run has not ended or the end is invalid', () => {
    const fromMs = Date.parse(from);
    expect(readRunTimes({ 'run-from': from, 'run-to': '2026-11-23T13:00:10.000Z' })).toEqual({
      fromMs,
      toMs: fromMs + 30_000,
    });
    for (const end of [{}, { 'run-to': 'never' }, { 'run-to': '2026-11-23T12:00:00.000Z' }])
      expect(readRunTimes({ 'run-from': from, ...end })).toEqual({ fromMs, toMs: fromMs });
  });

  it('are null without a valid start', () => {
    expect(readRunTimes({})).toBeNull();
    expect(readRunTimes({ 'run-from': 'yesterday', 'run-to': from })).toBeNull();
  });

  it('are removed without the rest of the address', () => {
    expect(withoutRunTimes({ find: 'visit', 'run-from': from, 'run-to': from })).toEqual({ find: 'visit' });
  });
});

it('reads the whole minutes of a run, with the schema quoted', () => {
  const sql = getRunSql('odd "clinic', { fromMs: Date.parse(from), toMs: Date.parse('2026-11-23T13:00:00.000Z') });
  expect(sql.split('\n').slice(1, 3)).toEqual([
    'FROM "odd ""clinic".__logging_log__',
    "WHERE time >= '2026-11-23 12:59' AND time < '2026-11-23 13:01'",
  ]);
});
