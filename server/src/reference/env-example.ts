import { environmentVariables, processVariables } from '../config.ts';
import type { SettingSchema } from './json-schema.ts';

/** Writes the environment variables that the server reads, all commented out. */
export function writeEnvExample({ properties = {} }: SettingSchema): string {
  const processRows = Object.entries(processVariables);
  const settingRows = Object.entries(environmentVariables).map(
    ([name, setting]) => [name, describe(setting.split('.'), properties) ?? setting] as const,
  );
  const head = '# Environment variables of the server. Generated from server/src/config.ts by `npm run generate`.\n';
  return `${head}${[...processRows, ...settingRows].map(([name, description]) => `\n# ${description}\n# ${name}=\n`).join('')}`;
}

function describe(
  [name = '', ...inner]: readonly string[],
  properties: NonNullable<SettingSchema['properties']>,
): string | undefined {
  const setting = properties[name];
  return inner.length === 0 ? setting?.description : describe(inner, setting?.properties ?? {});
}
