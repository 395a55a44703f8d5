import { environmentVariables, processVariables } from '../config.ts';
import type { SettingSchema } from './json-schema.ts';

/** Every setting on one page, in the order of the schema. */
export function writeReferencePage(schema: SettingSchema): string {
  const lines = [
    '# Configuration',
    '',
    '<!-- Made from server/src/config.ts by `npm run generate`; change it there. -->',
    '',
    '`PORTAL_CONFIG` names a YAML file; [portal.config.example.yaml](../portal.config.example.yaml) is one to copy. In it',
    `<code>\${NAME}</code> stands for a variable of the environment and <code>file:/path</code> for the content of a file, so that`,
    'no secret need be written there. What is wrong in it is said all at once, at the start. `[]` stands for each entry of a list.',
    '',
    '| Setting | Value | When left out | |',
    '|---|---|---|---|',
    ...toRows(schema, ''),
    '',
    '## Environment variables',
    '',
    '| Variable | |',
    '|---|---|',
    ...Object.entries(processVariables).map(([name, description]) => `| \`${name}\` | ${description} |`),
    ...Object.entries(environmentVariables).map(([name, setting]) => `| \`${name}\` | Comes before \`${setting}\`. |`),
  ];
  return `${lines.join('\n')}\n`;
}

function toRows({ properties = {}, required = [] }: SettingSchema, path: string): string[] {
  return Object.entries(properties).flatMap(([name, setting]) => {
    const settingPath = path + name;
    const row = `| \`${settingPath}\` | ${describeType(setting)} | ${describeDefault(setting, required.includes(name))} | ${setting.description ?? ''} |`;
    const inner = setting.items?.properties
      ? toRows(setting.items, `${settingPath}[].`)
      : toRows(setting, `${settingPath}.`);
    return [row, ...inner];
  });
}

function describeType({ type, enum: choices, items, anyOf, properties }: SettingSchema): string {
  if (choices) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (anyOf) return anyOf.map(describeType).join(' or ');
  if (items) return items.properties ? 'list' : `list of ${describeType(items)}`;
  if (properties) return 'settings';
  return type === 'string' ? 'text' : (type ?? 'text');
}

function describeDefault({ default: value, properties, items }: SettingSchema, isRequired: boolean): string {
  if (properties) return '';
  if (items && Array.isArray(value) && value.length === 0) return 'none';
  if (value !== undefined) return `\`${value}\``;
  return isRequired ? '**must be given**' : 'none';
}
