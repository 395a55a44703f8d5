import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { keepRunning } from './keep-running.ts';
import type { Lifecycle } from './lifecycle.ts';
import { waitForEnd } from './service-process.ts';

/** Starts the process that serves the page at this port and forwards calls to the server. */
export type StartPage = (at: { readonly port: number; readonly serverAddress: string }) => ChildProcess;

/** Starts the page's development server, waits until it serves, and keeps it running. Returns its address. */
export async function serveDevelopmentPage(
  startPage: StartPage,
  at: Parameters<StartPage>[0],
  lifecycle: Lifecycle,
): Promise<string> {
  const start = async () => {
    const page = startPage(at);
    const ended = waitForEnd(page);
    await Promise.race([once(page, 'message'), ended]);
    return { ended, stop: () => (page.kill('SIGTERM'), ended) };
  };
  await keepRunning('The development server of the page', start, lifecycle);
  return `http://127.0.0.1:${at.port}`;
}
