import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** An expected failure of a command. The message is enough for the user, so no stack is printed. */
export class CommandError extends Error {}

/** Returns the path of a program installed by npm. */
export function getBinary(name) {
  return join(root, 'node_modules', '.bin', name);
}

/**
 * Runs a program in the project's folder and returns its exit code, or 1 if a signal ended it.
 * Ctrl-C reaches the program directly, as everything in the terminal; this process waits for it.
 */
export async function run(command, args, options = {}) {
  const { code } = await start(command, args, { stdio: 'inherit', ...options });
  return code;
}

/** Runs a program and returns its exit code and output. */
export function runSilently(command, args, options = {}) {
  return start(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
}

/** Runs a program without output. If it fails, prints its output and throws a CommandError. */
export async function runQuietly(task, command, args, options = {}) {
  const { code, output } = await runSilently(command, args, options);
  if (code === 0) return;
  process.stderr.write(output);
  throw new CommandError(`${task} failed.`);
}

function start(command, args, options) {
  const ignore = () => {};
  process.on('SIGINT', ignore);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, ...options });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', (error) => reject(new CommandError(`${command} cannot be run: ${error.message}.`)));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  }).finally(() => process.off('SIGINT', ignore));
}

/**
 * Runs the main function of a script. A CommandError is printed and sets exit code 1; any other
 * error is a bug and is printed with its stack.
 */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    console.error(error instanceof CommandError ? error.message : error);
    process.exitCode = 1;
  }
}
