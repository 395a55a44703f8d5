import { expect, it, onTestFinished, vi } from 'vitest';
import { createLogger } from './logger.ts';
import { createPool } from './postgres/pool.ts';
import { createTestDatabase } from './postgres/test-database.ts';

it('logs the errors of PostgreSQL and their causes without the rows in their details', async () => {
  const database = await createTestDatabase();
  const pool = createPool(database.url, { applicationName: 'portal test' });
  const lines: string[] = [];
  const logger = createLogger({ name: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
  try {
    await pool.query('create table farmer (name text, contact text not null)');
    const error: unknown = await pool.query(`insert into farmer values ('Thandi')`).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ detail: expect.stringContaining('Thandi') });
    const outer = Object.assign(new Error('It failed.', { cause: error }), { inner: error, all: [error] });
    logger.error({ err: error }, 'one');
    logger.error(outer);
    logger.error({ err: new AggregateError([outer], 'several') });
  } finally {
    await pool.end();
    await database.drop();
  }
  expect(lines).toHaveLength(3);
  expect(lines.join('')).not.toContain('Thandi');
  expect(lines[0]).toContain('"column":"contact"');
});

it('logs the time in UTC, whatever the time zone of the host is', () => {
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });
  const lines: string[] = [];
  const logger = createLogger({ name: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
  const time = '2026-01-02T03:04:05.678Z';
  vi.useFakeTimers({ now: new Date(time) });
  vi.stubEnv('TZ', 'Asia/Tokyo');
  logger.info('one');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ time });
});
