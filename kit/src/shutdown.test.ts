import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

async function outcome(mood: string, end: (child: ChildProcess) => void) {
  const child = fork(join(import.meta.dirname, 'shutdown.fixture.ts'), [mood], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const said = child.stdout ? text(child.stdout) : '';
  await once(child, 'message');
  end(child);
  const [code] = await once(child, 'exit');
  return { code, said: await said };
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s, even if repeated, runs all steps once in order and exits with 0',
  async (signal) => {
    const twice = (child: ChildProcess) => {
      child.kill(signal);
      child.kill(signal);
    };
    expect(await outcome('calm', twice)).toEqual({ code: 0, said: 'first second third' });
  },
);

test('runs all steps when the parent process is lost', async () => {
  expect(await outcome('calm', (child) => child.disconnect())).toEqual({ code: 0, said: 'first second third' });
});

test('continues after a failed step and exits with 1', async () => {
  expect(await outcome('fail', (child) => child.kill('SIGTERM'))).toEqual({ code: 1, said: 'first second third' });
});

test('exits with 1 when a step hangs', async () => {
  expect(await outcome('hang', (child) => child.kill('SIGTERM'))).toEqual({ code: 1, said: 'first second ' });
});
