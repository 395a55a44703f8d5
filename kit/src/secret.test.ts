import { format, inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';
import { Secret } from './secret.ts';

const secret = new Secret('hush');

test('reveals a secret only through reveal()', () => {
  const shown = [
    `${secret}`,
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }, { showHidden: true, depth: 9 }),
    format('%s %o %j', secret, secret, secret),
    JSON.stringify(Object.entries(secret)),
    JSON.stringify({ ...secret }),
  ].join('\n');
  expect(shown).not.toContain('hush');
  expect(shown).toContain('•••');
  expect(secret.reveal()).toBe('hush');
});

test('redacts secrets and credential properties in the log', () => {
  const lines: string[] = [];
  const log = createLogger({ name: 'test', level: 'debug', destination: { write: (line) => lines.push(line) } });
  log.child({ requestId: 'r1' }).debug(
    {
      secret,
      payload: { password: 'hush' },
      credentials: { userName: 'ann', password: 'hush' },
      req: { headers: { cookie: 'hush', authorization: 'hush' } },
    },
    'asked',
  );
  expect(JSON.parse(lines.join(''))).toMatchObject({
    level: 'debug',
    name: 'test',
    requestId: 'r1',
    msg: 'asked',
    payload: { password: '•••' },
  });
  expect(lines.join('')).not.toContain('hush');
});
