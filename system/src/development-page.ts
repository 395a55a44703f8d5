import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Lifecycle } from './lifecycle.ts';

/** Starts the process that serves the page at this port and forwards calls to the server. */
export type StartPage = (at: { readonly port: number; readonly serverAddress: string }) => ChildProcess;

/** Starts the page's development server and waits until it serves. Returns its address. */
export async function serveDevelopmentPage(
  startPage: StartPage,
  at: Parameters<StartPage>[0],
  lifecycle: Lifecycle,
): Promise<string> {
  const page = startPage(at);
  const ended = once(page, 'exit');
  lifecycle.onShutdown('page', () => page.kill('SIGTERM') && ended);
  await Promise.race([once(page, 'message'), ended]);
  void ended.then(() => lifecycle.fail(new Error('The development server of the page stopped.')));
  return `http://127.0.0.1:${at.port}`;
}
