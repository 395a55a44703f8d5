import { environmentVariables, processVariables } from '../config.ts';
import type { SettingSchema } from './json-schema.ts';

/** Writes a page with every setting, in schema order. */
export function writeReferencePage(schema: SettingSchema): string {
  const lines = [
    '# Configuration',
    '',
    '<!-- Generated from server/src/config.ts by `npm run generate`. -->',
    '',
    '`PORTAL_CONFIG` is the path of a YAML file. Copy [portal.config.example.yaml](../portal.config.example.yaml)',
    `to start. <code>\${NAME}</code> is replaced with an environment variable, <code>file:/path</code> with the`,
    'content of a file: secrets need not be in the file. All errors are reported at once on startup. `[]`',
    'denotes each entry of a list.',
    '',
    '| Setting | Value | Default | Description |',
    '|---|---|---|---|',
    ...toRows(schema, ''),
    '',
    '## Environment variables',
    '',
    '| Variable | |',
    '|---|---|',
    ...Object.entries(processVariables).map(([name, description]) => `| \`${name}\` | ${description} |`),
    ...Object.entries(environmentVariables).map(([name, setting]) => `| \`${name}\` | Overrides \`${setting}\`. |`),
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
  return [type ?? 'string']
    .flat()
    .map((name) => (name === 'string' ? 'text' : name))
    .join(' or ');
}

function describeDefault({ default: value, properties, items }: SettingSchema, isRequired: boolean): string {
  if (properties) return '';
  if (items && Array.isArray(value) && value.length === 0) return 'none';
  if (value !== undefined) return `\`${value}\``;
  return isRequired ? '**required**' : 'none';
}
