import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * A command run as a terminal runs it: a process group of its own, so that Ctrl-C reaches all of it
 * at once.
 */
export interface StartedCommand {
  readonly pid: number;
  /** Everything it has written so far, both streams as they came. */
  readonly output: string;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Settles when the output matches; rejects with the output when the command ends before. */
  outputMatches(pattern: RegExp): Promise<RegExpExecArray>;
  /** Does nothing when all of it has ended. */
  pressCtrlC(): void;
}

export function startCommand(
  command: readonly [string, ...string[]],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): StartedCommand {
  const [file, ...args] = command;
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} could not be started`);

  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text) => {
      output += text;
      child.emit('said');
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  const pressCtrlC = () => {
    try {
      process.kill(-pid, 'SIGINT');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  };
  // A hook that timed out stops nothing.
  process.once('exit', pressCtrlC);
  void ended.finally(() => process.off('exit', pressCtrlC));
  return {
    pid,
    get output() {
      return output;
    },
    ended,
    async outputMatches(pattern) {
      let isOver = false;
      void ended.then(() => {
        isOver = true;
        child.emit('said');
      });
      for (;;) {
        const match = pattern.exec(output);
        if (match) return match;
        if (isOver) throw new Error(`${command.join(' ')} ended without saying ${pattern}:\n${output}`);
        await once(child, 'said');
      }
    },
    pressCtrlC,
  };
}
