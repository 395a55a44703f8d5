import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { keepRunning } from './keep-running.ts';
import type { Lifecycle } from './lifecycle.ts';
import { waitForEnd } from './service-process.ts';

/** Starts the process that serves the page at this port and forwards calls to the server. */
export type StartPage = (at: { readonly port: number; readonly serverAddress: string }) => ChildProcess;

const name = 'The development server of the page';

/**
 * Starts the page's development server and keeps it running. Returns its address once it serves.
 */
export async function serveDevelopmentPage(
  startPage: StartPage,
  at: Parameters<StartPage>[0],
  lifecycle: Lifecycle,
): Promise<string> {
  const start = async () => {
    const page = startPage(at);
    const ended = waitForEnd(page);
    const failure = await Promise.race([once(page, 'message').then(() => undefined), ended]);
    if (failure !== undefined) throw new Error(`${name} stopped before it was ready (${failure}).`);
    const stop = () => {
      page.kill('SIGTERM');
      return ended;
    };
    return { ended, stop };
  };
  await keepRunning(name, start, lifecycle);
  return `http://127.0.0.1:${at.port}`;
}
