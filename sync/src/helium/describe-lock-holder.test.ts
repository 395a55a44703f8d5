import { expect, it } from 'vitest';
import { describeLockHolder } from './describe-lock-holder.ts';

const since = '2026-01-02T03:04:05.000Z';
const nowMs = Date.parse('2026-01-02T03:04:17.900Z');

it('says who holds the change log, and for how long', () => {
  expect(describeLockHolder({ pid: 4711, applicationName: 'psql', since }, nowMs)).toBe(
    `held 12 s by pid 4711 (psql, since ${since})`,
  );
});

it('knows prepared transactions by their name, and whoever has none', () => {
  expect(describeLockHolder({ pid: null, applicationName: 'tx-7', since }, nowMs)).toBe(
    `held 12 s by a prepared transaction (tx-7, since ${since})`,
  );
  expect(describeLockHolder({ pid: 1, applicationName: '', since }, Date.parse(since) - 5)).toBe(
    `held 0 s by pid 1 (no name, since ${since})`,
  );
});
