import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A wish that cannot be granted, said in a sentence; no stack is of use to anybody. */
export class Sentence extends Error {}

/** A program that npm has installed. */
export function installed(name) {
  return join(root, 'node_modules', '.bin', name);
}

/**
 * Runs a program to its end in the project's folder and answers its exit code, 1 when a signal
 * ended it. Ctrl-C goes to the program, as to everything in the terminal; we wait for it.
 */
export async function run(command, args, options = {}) {
  const { code } = await start(command, args, { stdio: 'inherit', ...options });
  return code;
}

/** Runs a program to its end and answers its exit code and what it said. */
export function runSilently(command, args, options = {}) {
  return start(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
}

/** Runs a program in silence; throws a Sentence, and shows what it said, when it fails. */
export async function runQuietly(what, command, args, options = {}) {
  const { code, said } = await runSilently(command, args, options);
  if (code === 0) return;
  process.stderr.write(said);
  throw new Sentence(`${what} failed.`);
}

function start(command, args, options) {
  const ignore = () => {};
  process.on('SIGINT', ignore);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, ...options });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (said += text));
    child.once('error', (error) => reject(new Sentence(`${command} cannot be run: ${error.message}.`)));
    child.once('close', (code) => resolve({ code: code ?? 1, said }));
  }).finally(() => process.off('SIGINT', ignore));
}

/**
 * Runs a script's work; a Sentence is told and makes the exit code 1, anything else is a bug and
 * shows itself whole.
 */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    console.error(error instanceof Sentence ? error.message : error);
    process.exitCode = 1;
  }
}
