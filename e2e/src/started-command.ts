import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * A command run as in a terminal: in its own process group, so that Ctrl-C reaches all of its
 * processes.
 */
export interface StartedCommand {
  readonly pid: number;
  /** Its output so far, both streams in order of arrival. */
  readonly output: string;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Resolves when the output matches; rejects with the output if the command ends first. */
  outputMatches(pattern: RegExp): Promise<RegExpExecArray>;
  /** Does nothing if all processes have ended. */
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
  // A hook that timed out does not stop the command.
  process.once('exit', pressCtrlC);
  void ended.finally(() => process.off('exit', pressCtrlC));
  return {
    pid,
    get output() {
      return output;
    },
    ended,
    async outputMatches(pattern) {
      let hasEnded = false;
      void ended.then(() => {
        hasEnded = true;
        child.emit('said');
      });
      for (;;) {
        const match = pattern.exec(output);
        if (match) return match;
        if (hasEnded) throw new Error(`${command.join(' ')} ended without printing ${pattern}:\n${output}`);
        await once(child, 'said');
      }
    },
    pressCtrlC,
  };
}
