import { environmentVariables, processVariables } from '../config.ts';
import type { SettingSchema } from './json-schema.ts';

/** The environment variables the server reads, none of them set. */
export function writeEnvExample({ properties = {} }: SettingSchema): string {
  const processRows = Object.entries(processVariables);
  const settingRows = Object.entries(environmentVariables).map(
    ([name, setting]) => [name, describe(setting.split('.'), properties) ?? setting] as const,
  );
  const head = '# The environment the server reads; made from server/src/config.ts by `npm run generate`.\n';
  return `${head}${[...processRows, ...settingRows].map(([name, description]) => `\n# ${description}\n# ${name}=\n`).join('')}`;
}

function describe(
  [name = '', ...inner]: readonly string[],
  properties: NonNullable<SettingSchema['properties']>,
): string | undefined {
  const setting = properties[name];
  return inner.length === 0 ? setting?.description : describe(inner, setting?.properties ?? {});
}
