import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { OsAccount } from './os-account.ts';

/**
 * The shell starts the program and waits for its exit or for the end of the pipe on descriptor 3.
 * We hold the other end of the pipe, which closes when we close it or when this process ends, even
 * after kill -9. SIGINT is PostgreSQL's fast shutdown: sessions are closed, data is written, no
 * recovery is needed.
 */
const watchScript = `
"$@" 3<&- & server=$!
{ read -r _ <&3; kill -INT "$server"; } & watch=$!
wait "$server"; code=$?
kill "$watch" 2>/dev/null
exit "$code"`;

export interface WatchedProcess {
  /**
   * Resolves when the program has exited, for any reason, with the signal that ended it, if one
   * did.
   */
  readonly ended: Promise<NodeJS.Signals | undefined>;
  hasEnded(): boolean;
  /** Asks the program to stop, as the end of this process would. */
  release(): void;
}

/**
 * Starts a program that ends with this process. Its output goes to the given file; Ctrl-C in the
 * terminal does not reach it.
 */
export function startWatchedProcess(
  command: string[],
  options: { account: OsAccount | undefined; output: number },
): WatchedProcess {
  const child = spawn('/bin/sh', ['-c', watchScript, 'watch', ...command], {
    ...options.account,
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    detached: true,
    stdio: ['ignore', options.output, options.output, 'pipe'],
  });
  const pipe = child.stdio[3];
  pipe?.on('error', () => undefined);
  detach(child);
  let isOver = false;
  const ended = once(child, 'exit').then(
    ([code]) => findSignal(code),
    () => undefined,
  );
  void ended.then(() => {
    isOver = true;
  });
  return {
    ended,
    hasEnded: () => isOver,
    release() {
      child.ref();
      pipe?.destroy();
    },
  };
}

/**
 * Keeps a running server from blocking the exit of this process, which in turn stops the server.
 */
function detach(child: ChildProcess): void {
  child.unref();
  const pipe = child.stdio[3];
  if (pipe && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
}

/** A shell adds 128 to the number of the signal that ended its program. */
function findSignal(code: unknown): NodeJS.Signals | undefined {
  const signals = Object.keys(constants.signals) as NodeJS.Signals[];
  return signals.find((name) => 128 + constants.signals[name] === code);
}
