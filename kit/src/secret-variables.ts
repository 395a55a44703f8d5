/**
 * Passes secret environment variables from a process to one that it forked. Everything that a
 * process is started with stays readable in `/proc/PID/environ` for as long as it runs, whatever it
 * deletes later; the channel between the two leaves no trace.
 */
import type { ChildProcess } from 'node:child_process';
import type { Secret } from './secret.ts';
import { decodeUserInfo } from './web-address.ts';

export type Variables = Readonly<Record<string, string>>;

type Environment = Record<string, string | undefined>;

/** Announces to a forked process that variables follow over its channel. */
const announcement = 'PORTAL_VARIABLES_FOLLOW';

/**
 * Removes the variables with the address or its password from the environment, and returns them.
 * Processes that are started afterwards do not get them.
 */
export function takeVariables(environment: Environment, address: Secret | undefined): Variables {
  if (address === undefined) return {};
  const { href, password } = new URL(address.reveal());
  const parts = [password, decodeUserInfo(password)].filter((part) => part !== '');
  const isSecret = (value: string) => value === address.reveal() || value === href || parts.includes(value);
  const taken = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && isSecret(value) ? [[name, value] as const] : [],
  );
  for (const [name] of taken) delete environment[name];
  return Object.fromEntries(taken);
}

/** The environment of a process that `sendVariables` is called for. */
export const variablesFollow: Variables = { [announcement]: 'yes' };

export function sendVariables(child: ChildProcess, variables: Variables): void {
  // A process that has ended already reports that itself.
  child.send({ variables }, () => undefined);
}

/** Returns this process's environment with the variables that its parent sends. */
export async function receiveVariables(): Promise<NodeJS.ProcessEnv> {
  if (process.env[announcement] === undefined || !process.channel) return process.env;
  delete process.env[announcement];
  const message = await new Promise<unknown>((resolve) => process.once('message', resolve));
  return { ...process.env, ...readVariables(message) };
}

function readVariables(message: unknown): object {
  if (typeof message !== 'object' || message === null || !('variables' in message)) return {};
  return typeof message.variables === 'object' && message.variables !== null ? message.variables : {};
}
