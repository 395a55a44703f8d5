import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sendVariables, type Variables, variablesFollow } from '@portal/kit/secret-variables';
import { heapFlags } from './heap-flags.ts';
import type { RunningPart } from './keep-running.ts';

/** A portal service that runs as a separate process. */
export interface ServiceProcess extends RunningPart {
  readonly address: string;
}

/** Whether services run as they were bundled, or from their sources, which starts more slowly. */
export type ServiceKind = 'bundles' | 'sources';

interface ServiceProgram {
  /** The subject of sentences about the service. */
  readonly name: string;
  readonly workspace: 'server' | 'sync';
  readonly kind: ServiceKind;
}

export interface ServiceEnvironment {
  readonly env: Variables;
  /** Variables that must not stay readable while the service runs. */
  readonly secrets: Variables;
}

const stopTimeoutMs = 12_000;
/**
 * Starts a service as a separate process and waits until it is available. The service stops when
 * this process ends, because the channel between them closes. Throws an Error with the reason if it
 * cannot start; `signal` stops a service that is still starting.
 */
export async function startServiceProcess(
  root: string,
  { name, workspace, kind }: ServiceProgram,
  { env, secrets }: ServiceEnvironment,
  signal: AbortSignal,
): Promise<ServiceProcess> {
  signal.throwIfAborted();
  const isBundled = kind === 'bundles';
  const child = fork(join(root, workspace, isBundled ? 'dist/main.mjs' : 'src/main.ts'), [], {
    cwd: root,
    execArgv: [...heapFlags[workspace], ...(isBundled ? [] : ['--import', 'tsx'])],
    env: { ...process.env, ...env, ...variablesFollow },
  });
  sendVariables(child, secrets);
  const ended = waitForEnd(child);
  const stop = () => stopChild(child, ended);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return { address: await waitUntilReady(child, name), ended, stop };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Resolves when the process has ended, with the reason in words. */
export async function waitForEnd(child: ChildProcess): Promise<string> {
  const [code, signal] = await once(child, 'exit');
  return signal ? `signal ${signal}` : `exit code ${code}`;
}

function waitUntilReady(child: ChildProcess, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: { type?: unknown; address?: unknown; reason?: unknown }) => {
      if (message.type === 'ready') resolve(String(message.address));
      if (message.type === 'failed') reject(new Error(String(message.reason)));
    });
    child.once('exit', () => reject(new Error(`${name} stopped before it was ready.`)));
  });
}

async function stopChild(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(killTimer);
}
