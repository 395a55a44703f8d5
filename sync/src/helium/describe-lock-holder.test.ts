import { expect, it } from 'vitest';
import { describeLockHolder } from './describe-lock-holder.ts';

const since = '2026-01-02T03:04:05.000Z';
const nowMs = Date.parse('2026-01-02T03:04:17.900Z');

it('describes the session that blocks the change log, and for how long', () => {
  expect(describeLockHolder({ pid: 4711, applicationName: 'psql', since }, nowMs)).toBe(
    `held 12 s by pid 4711 (psql, since 2026-01-02 03:04:05 UTC)`,
  );
});

it('describes prepared transactions by name, and sessions without a name', () => {
  expect(describeLockHolder({ pid: null, applicationName: 'tx-7', since }, nowMs)).toBe(
    `held 12 s by a prepared transaction (tx-7, since 2026-01-02 03:04:05 UTC)`,
  );
  expect(describeLockHolder({ pid: 1, applicationName: '', since }, Date.parse(since) - 5)).toBe(
    `held 0 s by pid 1 (no name, since 2026-01-02 03:04:05 UTC)`,
  );
});

it('leaves out how long a lock has been held when the start of its transaction is not visible', () => {
  expect(describeLockHolder({ pid: 4711, applicationName: 'psql', since: null }, nowMs)).toBe(
    'held by pid 4711 (psql)',
  );
});
