import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { ConfigurationProblem } from './config.ts';
import { describeStartError } from './describe-start-error.ts';

const service = { name: 'sync service', databaseUser: 'the sync service', portVariable: 'SYNC_PORT' };
const describeError = (error: unknown) => describeStartError(error, service);
const errorWith = (message: string, more: object) => Object.assign(new Error(message), more);

it('names the taken port and the variable that sets another one', async () => {
  const first = createServer().listen(0, '127.0.0.1');
  await once(first, 'listening');
  const address = first.address();
  const second = createServer().listen(address);
  const [error] = await once(second, 'error');
  first.close();
  expect(describeError(error)).toMatch(/^Port \d+ is taken by another program\. Set SYNC_PORT to another one\.$/);
});

it.each([
  [
    errorWith('denied', { syscall: 'listen', code: 'EACCES', port: 80 }),
    'Port 80 may not be used by this account. Set SYNC_PORT to one above 1023.',
  ],
  [
    errorWith('password authentication failed', { code: '28P01' }),
    "The portal's database refuses to let the sync service in: password authentication failed.",
  ],
  [
    errorWith('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' }),
    "The portal's database cannot be reached: connect ECONNREFUSED 127.0.0.1:1.",
  ],
  [new ConfigurationProblem('portal.config.yaml', ['there is no file']), expect.stringContaining('there is no file')],
  [errorWith('The database could not be migrated: x', {}), 'The database could not be migrated: x'],
  ['nothing', 'The sync service could not start: nothing'],
])('describes %s', (error, sentence) => {
  expect(describeError(error)).toEqual(sentence);
});

it('keeps the stack of a bug, also where a file may not be read', () => {
  expect(describeError(errorWith('EACCES: permission denied', { syscall: 'open', code: 'EACCES' }))).toMatch(
    /^The sync service could not start: Error: EACCES: permission denied\n {4}at /,
  );
});
