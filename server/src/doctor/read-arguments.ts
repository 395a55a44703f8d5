import { parseArgs } from 'node:util';

export interface DoctorArguments {
  /** Undefined if the only environment is meant. */
  readonly environment: string | undefined;
  readonly toggle: { readonly app: string; readonly name: string } | undefined;
  /** How long the log socket stays open. */
  readonly logMs: number;
}

/** The arguments are wrong; the message says how. */
export class ArgumentProblem extends Error {}

export const usage = 'npm run doctor -- [--environment NAME] [--toggle APP UNIT:EVENT] [--log-seconds N]';

/** Throws an ArgumentProblem. */
export function readArguments(args: readonly string[]): DoctorArguments {
  const { values, positionals } = parse(args);
  const [name, ...others] = positionals;
  if ((values.toggle === undefined) !== (name === undefined) || others.length > 0)
    throw new ArgumentProblem('--toggle needs an app and a function: --toggle "Clinic Visits" Nightly:closeOldVisits');
  const toggle = values.toggle === undefined || name === undefined ? undefined : { app: values.toggle, name };
  const logSeconds = Number(values['log-seconds']);
  if (!(logSeconds >= 0)) throw new ArgumentProblem('--log-seconds is a number, such as 5');
  return { environment: values.environment, toggle, logMs: logSeconds * 1_000 };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        environment: { type: 'string' },
        toggle: { type: 'string' },
        'log-seconds': { type: 'string', default: '5' },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new ArgumentProblem(error instanceof Error ? error.message : String(error));
  }
}
