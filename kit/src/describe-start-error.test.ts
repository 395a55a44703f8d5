import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { ConfigurationProblem } from './config.ts';
import { describeStartError } from './describe-start-error.ts';

const service = { name: 'sync service', databaseUser: 'the sync service', portVariable: 'SYNC_PORT' };
const describeError = (error: unknown) => describeStartError(error, service);
const errorWith = (message: string, more: object) => Object.assign(new Error(message), more);

it('names the port in use and the variable that changes it', async () => {
  const first = createServer().listen(0, '127.0.0.1');
  await once(first, 'listening');
  const address = first.address();
  const second = createServer().listen(address);
  const [error] = await once(second, 'error');
  first.close();
  expect(describeError(error)).toMatch(/^Port \d+ is already in use\. Set SYNC_PORT to another port\.$/);
});

it.each([
  [
    errorWith('denied', { syscall: 'listen', code: 'EACCES', port: 80 }),
    'Port 80 requires privileges that this account does not have. Set SYNC_PORT to a port above 1023.',
  ],
  [
    errorWith('password authentication failed', { code: '28P01' }),
    "The portal's database rejected the sync service: password authentication failed.",
  ],
  [
    errorWith('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' }),
    "The portal's database is unreachable: connect ECONNREFUSED 127.0.0.1:1.",
  ],
  [
    new ConfigurationProblem('portal.config.yaml', ['the file does not exist']),
    expect.stringContaining('the file does not exist'),
  ],
  [errorWith('The database could not be migrated: x', {}), 'The database could not be migrated: x'],
  ['nothing', 'The sync service could not start: nothing'],
])('describes the start error %s', (error, sentence) => {
  expect(describeError(error)).toEqual(sentence);
});

it('shows only the host of an address that an unexpected error quotes', () => {
  const address = 'postgresql://portal:secret@db.example/portal?password=secret';
  const sentence = describeError(new TypeError(`Invalid URL: ${address}`));
  expect(sentence).toContain('postgresql://•••@db.example/•••');
  expect(sentence).not.toContain('secret');
  expect(describeError(address)).not.toContain('secret');
});

it('includes the stack of an unexpected error, such as an unreadable file', () => {
  expect(describeError(errorWith('EACCES: permission denied', { syscall: 'open', code: 'EACCES' }))).toMatch(
    /^The sync service could not start: Error: EACCES: permission denied\n {4}at /,
  );
});
