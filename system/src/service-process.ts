import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A service of the portal that runs as a process of its own. */
export interface ServiceProcess {
  readonly address: string;
  /** Settles when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** What it is called, and the workspace that has its `main.ts`. */
interface ServiceProgram {
  readonly name: string;
  readonly workspace: 'server' | 'sync';
}

const stoppedWithinMs = 12_000;

/**
 * Starts a service as a process of its own and waits until it serves. It ends when we do: it hears
 * the channel between us close. Throws an Error with the reason when it cannot start; `signal` ends
 * one that is still starting.
 */
export async function startServiceProcess(
  root: string,
  { name, workspace }: ServiceProgram,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ServiceProcess> {
  const child = fork(join(root, workspace, 'src', 'main.ts'), [], {
    cwd: root,
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit').then(() => undefined);
  const stop = () => stopChild(child, ended);
  signal.addEventListener('abort', () => void stop(), { once: true });
  return { address: await readiness(child, name), ended, stop };
}

function readiness(child: ChildProcess, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: { type?: unknown; address?: unknown; reason?: unknown }) => {
      if (message.type === 'ready') resolve(String(message.address));
      if (message.type === 'failed') reject(new Error(String(message.reason)));
    });
    child.once('exit', () => reject(new Error(`The ${name} ended before it could serve.`)));
  });
}

async function stopChild(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), stoppedWithinMs);
  await ended;
  clearTimeout(patience);
}
