import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { Secret } from './secret.ts';
import { sendVariables, takeVariables, variablesFollow } from './secret-variables.ts';

const address = 'postgresql://portal_owner:secret%2F1@db.example/portal';

it('takes the variables with an address, or with the password that it was composed of', () => {
  const environment = { A: address, B: 'secret/1', C: 'secret%2F1', D: 'postgresql://portal@db/portal', E: '' };
  expect(takeVariables(environment, new Secret(address))).toEqual({ A: address, B: 'secret/1', C: 'secret%2F1' });
  expect(environment).toEqual({ D: 'postgresql://portal@db/portal', E: '' });
  expect(takeVariables(environment, undefined)).toEqual({});
  expect(takeVariables(environment, new Secret('postgresql://portal@other/portal'))).toEqual({});
});

it.runIf(process.platform === 'linux')(
  'a forked process receives a secret variable, which its environment never has',
  async () => {
    const program = fileURLToPath(new URL('./secret-variables.fixture.ts', import.meta.url));
    const child = fork(program, [], {
      execArgv: ['--import', 'tsx'],
      env: { ...process.env, ...variablesFollow, WITH_OWNER: address },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    sendVariables(child, { OWNER_URL: address });
    const [{ received, taken, left }] = await once(child, 'message');
    expect({ received, taken }).toEqual({ received: address, taken: { WITH_OWNER: address } });
    expect(left).not.toMatch(/secret|PORTAL_VARIABLES_FOLLOW/);
    const started = readFileSync(`/proc/${child.pid}/environ`, 'utf8');
    expect(started).toContain('WITH_OWNER=');
    expect(started).not.toMatch(/(^|\0)OWNER_URL=/);
  },
);
