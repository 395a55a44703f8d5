import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Account } from './account.ts';

/**
 * The shell starts the program, then waits for two things: the program's end, and the end of the
 * pipe on descriptor 3. We hold the other end of that pipe, so it ends when we close it and just as
 * well when we die, kill -9 included. SIGINT is PostgreSQL's fast shutdown: sessions are cut, data
 * is written, nothing is left to recover.
 */
const watch = `
"$@" 3<&- & server=$!
{ read -r _ <&3; kill -INT "$server"; } & watch=$!
wait "$server"; code=$?
kill "$watch" 2>/dev/null
exit "$code"`;

export interface WatchedProcess {
  /** Settles when the program is gone, however it ended. */
  readonly ended: Promise<void>;
  hasEnded(): boolean;
  /** Asks the program to stop, as our death would. */
  letGo(): void;
}

/**
 * Starts a program that ends with this process. Its output goes to the open file; Ctrl-C in our
 * terminal does not reach it.
 */
export function startWatched(
  command: string[],
  options: { account: Account | undefined; output: number },
): WatchedProcess {
  const child = spawn('/bin/sh', ['-c', watch, 'watch', ...command], {
    ...options.account,
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    detached: true,
    stdio: ['ignore', options.output, options.output, 'pipe'],
  });
  const pipe = child.stdio[3];
  pipe?.on('error', () => undefined);
  letRunBeside(child);
  let over = false;
  const ended = once(child, 'exit').then(noop, noop);
  void ended.then(() => {
    over = true;
  });
  return {
    ended,
    hasEnded: () => over,
    letGo() {
      child.ref();
      pipe?.destroy();
    },
  };
}

/**
 * A running server must not keep a finished program from ending: its end is what stops the server.
 */
function letRunBeside(child: ChildProcess): void {
  child.unref();
  const pipe = child.stdio[3];
  if (pipe && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
}

function noop(): void {}
