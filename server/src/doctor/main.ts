/** `npm run doctor`: see docs/operations.md, "When Helium answers differently". */
import { inspect } from 'node:util';
import { ConfigurationProblem } from '@portal/kit/config';
import { hideAddresses } from '@portal/kit/hide-addresses';
import { examineEnvironment } from '@portal/platforms/doctor/examine-environment';
import { formatSection } from '@portal/platforms/doctor/report';
import { useProxies } from '@portal/platforms/outgoing/dispatcher';
import { type EnvironmentConfig, readConfig } from '../config.ts';
import { toExaminedEnvironment } from './examined-environment.ts';
import { ArgumentProblem, readArguments, usage } from './read-arguments.ts';

/** An expected failure, whose message is enough for the operator. */
class DoctorProblem extends Error {}

/** Returns whether the portal can work with everything in the environment. */
async function runDoctor(args: readonly string[]): Promise<boolean> {
  const { environment: name, toggle, logMs } = readArguments(args);
  const config = readConfig(process.env);
  useProxies();
  const environment = findEnvironment(config.environments, name);
  const { HELIUM_USER: userName, HELIUM_PASSWORD: password } = process.env;
  if (!userName || !password) throw new DoctorProblem('Set HELIUM_USER and HELIUM_PASSWORD to API credentials.');
  const examined = toExaminedEnvironment(config, environment, { userName, password });
  const { sections, suggestion, isGood } = await examineEnvironment({ ...examined, toggle, logMs });
  console.log(`${environment.name}: ${environment.baseUrl}\n`);
  for (const section of sections) console.log(`${formatSection(section)}\n`);
  if (suggestion.length > 0) {
    console.log('Set these lines in the configuration file, and run the doctor again:\n');
    console.log(`${suggestion.join('\n')}\n`);
    console.log(
      'No change was tried. Verify the toggle of functions with --toggle, and the write style as described.\n',
    );
  }
  console.log(isGood ? 'The portal can work with this environment.' : 'The portal cannot work with all of this.');
  return isGood;
}

function findEnvironment(all: readonly EnvironmentConfig[], name: string | undefined): EnvironmentConfig {
  const [only, ...others] = all;
  const found = name === undefined && others.length === 0 ? only : all.find((each) => each.name === name);
  if (found) return found;
  const names = all.map((each) => each.name).join(', ');
  throw new DoctorProblem(`--environment is one of ${names}.\n${usage}`);
}

try {
  process.exitCode = (await runDoctor(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  const isExpected = error instanceof DoctorProblem || error instanceof ConfigurationProblem;
  if (error instanceof ArgumentProblem) console.error(`${error.message}\n${usage}`);
  else console.error(isExpected ? error.message : hideAddresses(inspect(error)));
  process.exitCode = 2;
}
