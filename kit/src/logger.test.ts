import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLogger, type Logger } from './logger.ts';
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

describe('addresses in log lines', () => {
  const secret = 'secret-marker';
  const address = `https://reader:${secret}"x@calendar.example/private-${secret}/basic.ics?token=${secret}`;

  function log(write: (logger: Logger) => void): string {
    const lines: string[] = [];
    write(createLogger({ name: 'test', level: 'trace', destination: { write: (line) => lines.push(line) } }));
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
    return lines.join('');
  }

  const leaf = () => Object.assign(new TypeError(`Invalid URL: ${address}`), { input: `${secret} ${address}` });

  it.each<[string, (logger: Logger) => void]>([
    ['an error', (logger) => logger.error({ err: leaf() }, 'failed')],
    ['an error without a name', (logger) => logger.error(leaf())],
    [
      'a cause',
      (logger) => logger.error({ err: new Error('outer', { cause: new Error('inner', { cause: leaf() }) }) }),
    ],
    [
      'an aggregate',
      (logger) => logger.error({ err: new AggregateError([new Error('one', { cause: leaf() })], 'all') }),
    ],
    ['a property of an error', (logger) => logger.error({ err: Object.assign(new Error('x'), { inner: leaf() }) })],
  ])('hold only the host of an address of %s', (_, write) => {
    const logged = log(write);
    expect(logged).not.toContain(secret);
    expect(logged).toContain('calendar.example/•••');
    expect(logged).toContain('logger.test.ts');
  });

  it('hold no credentials of an address anywhere, not even in the message', () => {
    const withPassword = `https://reader:${secret}"x@calendar.example/`;
    const logged = log((logger) => {
      logger.info(`calls ${withPassword}`);
      logger.info({ reason: withPassword, deep: { list: [{ url: withPassword }] } }, 'failed: %s', withPassword);
      logger.child({ baseUrl: withPassword }).debug({ cause: new Error(withPassword).message }, 'child');
    });
    expect(logged.match(/calendar\.example/g)).toHaveLength(6);
    expect(logged).not.toContain(secret);
  });
});
