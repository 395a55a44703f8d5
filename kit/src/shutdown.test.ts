import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

async function runFixture(behavior: string, end: (child: ChildProcess) => void) {
  const child = fork(join(import.meta.dirname, 'shutdown.fixture.ts'), [behavior], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const output = child.stdout ? text(child.stdout) : '';
  await once(child, 'message');
  end(child);
  const [code] = await once(child, 'exit');
  return { code, output: await output };
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s, even if repeated, runs all steps once in order and exits with 0',
  async (signal) => {
    const twice = (child: ChildProcess) => {
      child.kill(signal);
      child.kill(signal);
    };
    expect(await runFixture('calm', twice)).toEqual({ code: 0, output: 'first second third' });
  },
);

test('runs all steps when the parent process is lost', async () => {
  expect(await runFixture('calm', (child) => child.disconnect())).toEqual({ code: 0, output: 'first second third' });
});

test('continues after a failed step and exits with 1', async () => {
  expect(await runFixture('fail', (child) => child.kill('SIGTERM'))).toEqual({ code: 1, output: 'first second third' });
});

test('exits with 1 when a step hangs', async () => {
  expect(await runFixture('hang', (child) => child.kill('SIGTERM'))).toEqual({ code: 1, output: 'first second ' });
});

test('continues after the limit of a step that hangs, and exits with 0', async () => {
  expect(await runFixture('limit', (child) => child.kill('SIGTERM'))).toEqual({
    code: 0,
    output: 'first second third',
  });
});
