import { parseArgs } from 'node:util';

export interface DoctorArguments {
  /** Undefined if the only environment is meant. */
  readonly environment: string | undefined;
  readonly toggle: { readonly app: string; readonly name: string } | undefined;
}

export const usage = 'npm run doctor -- [--environment NAME] [--toggle APP UNIT:EVENT]';

/** Throws a TypeError that says what is wrong with the arguments. */
export function readArguments(args: readonly string[]): DoctorArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { environment: { type: 'string' }, toggle: { type: 'string' } },
    allowPositionals: true,
  });
  const [name, ...others] = positionals;
  if ((values.toggle === undefined) !== (name === undefined) || others.length > 0)
    throw new TypeError('--toggle needs an app and a function: --toggle "Clinic Visits" Nightly:closeOldVisits');
  const toggle = values.toggle === undefined || name === undefined ? undefined : { app: values.toggle, name };
  return { environment: values.environment, toggle };
}
