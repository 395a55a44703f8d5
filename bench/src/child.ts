import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * A part of a benchmark in a separate process, so that it does not share CPU time with the measured
 * code.
 */
export interface Child<Ready, Request = never> {
  /** The child's first message, sent when it is ready. */
  readonly ready: Ready;
  readonly pid: number;
  /** Sends a request and returns the response; one at a time. */
  ask<Answer>(request: Request): Promise<Answer>;
  stop(): Promise<void>;
}

export interface ChildOptions {
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts `file`, relative to this one, with one JSON argument. The child sends its first message
 * when it is ready, and exits when it is disconnected.
 */
export async function startChild<Ready, Request = never>(
  file: string,
  argument: unknown,
  options: ChildOptions = {},
): Promise<Child<Ready, Request>> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [JSON.stringify(argument)], {
    execArgv: [...(file.endsWith('.ts') ? ['--import', 'tsx'] : []), ...(options.nodeFlags ?? [])],
    env: { ...process.env, ...options.env },
  });
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} exited with ${code}`)));
  failed.catch(() => undefined);
  const [ready] = await Promise.race([once(child, 'message'), failed]);
  if (child.pid === undefined) throw new Error(`${file} did not start`);
  return {
    ready,
    pid: child.pid,
    async ask(request) {
      const response = once(child, 'message');
      child.send(JSON.stringify(request));
      const [message] = await Promise.race([response, failed]);
      return message;
    },
    async stop() {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}
