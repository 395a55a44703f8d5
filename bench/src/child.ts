import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * A part of a bench in a process of its own, so that it does not share a core's time with what is
 * measured.
 */
export interface Child<Ready, Request = never> {
  /** What the child said when it could be used. */
  readonly ready: Ready;
  readonly pid: number;
  /** Sends a request and gives the answer; one at a time. */
  ask<Answer>(request: Request): Promise<Answer>;
  stop(): Promise<void>;
}

export interface ChildOptions {
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts `file` (beside this one) with one JSON argument. The child answers with its first message
 * when it is ready, and ends when it is disconnected.
 */
export async function startChild<Ready, Request = never>(
  file: string,
  argument: unknown,
  options: ChildOptions = {},
): Promise<Child<Ready, Request>> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [JSON.stringify(argument)], {
    execArgv: ['--import', 'tsx', ...(options.nodeFlags ?? [])],
    env: { ...process.env, ...options.env },
  });
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} ended with ${code}`)));
  failed.catch(() => undefined);
  const [ready] = await Promise.race([once(child, 'message'), failed]);
  if (child.pid === undefined) throw new Error(`${file} did not start`);
  return {
    ready,
    pid: child.pid,
    async ask(request) {
      const answer = once(child, 'message');
      child.send(JSON.stringify(request));
      const [message] = await Promise.race([answer, failed]);
      return message;
    },
    async stop() {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}
