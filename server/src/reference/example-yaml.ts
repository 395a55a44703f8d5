import type { SettingSchema } from './json-schema.ts';

const width = 116;

/**
 * Writes an example configuration: required settings with example values, all others commented out
 * with their defaults.
 */
export function writeExample(schema: SettingSchema): string {
  const head = [
    '# Example configuration to copy. Generated from server/src/config.ts by `npm run generate`.',
    `# Do not write secrets here: \${NAME} reads an environment variable, file:/path reads a file.`,
  ];
  return `${[...head, ...toBlock(schema, new Set(['databaseUrl']))].join('\n')}\n`;
}

/**
 * Returns a block of lines per setting. Settings in `elsewhere` are required, but usually set by an
 * environment variable.
 */
function toBlock({ properties = {}, required = [] }: SettingSchema, elsewhere: ReadonlySet<string>): string[] {
  return Object.entries(properties).flatMap(([name, setting]) => {
    const isActive = required.includes(name) && !elsewhere.has(name);
    const lines = toLines(name, setting);
    return ['', ...toComment(setting.description), ...(isActive ? lines : lines.map(commentOut))];
  });
}

function toLines(name: string, setting: SettingSchema): string[] {
  const { properties, items } = setting;
  if (properties) return [`${name}:`, ...indent(toCompactLines(setting), '  ')];
  if (items?.properties) {
    const [first = '', ...rest] = toEntryLines(items);
    return [`${name}:`, `  - ${first}`, ...indent(rest, '    ')];
  }
  return [`${name}: ${JSON.stringify(setting.example ?? setting.default ?? '')}`];
}

/** Returns the settings of an entry of a list; optional groups of settings are commented out. */
function toEntryLines({ properties = {}, required = [] }: SettingSchema): string[] {
  return Object.entries(properties).flatMap(([name, setting]) => {
    const lines = toLines(name, setting);
    const isActive = setting.properties === undefined || required.includes(name);
    return [...toComment(setting.description), ...(isActive ? lines : lines.map(commentOut))];
  });
}

/** Returns the nested settings without comments or empty lines between them. */
function toCompactLines({ properties = {} }: SettingSchema): string[] {
  return Object.entries(properties).flatMap(([name, setting]) => [
    ...toComment(setting.description),
    ...toLines(name, setting),
  ]);
}

function indent(lines: readonly string[], by: string): string[] {
  return lines.map((line) => by + line);
}

function commentOut(line: string): string {
  return `# ${line}`;
}

function toComment(description: string | undefined): string[] {
  const lines: string[] = [];
  for (const word of description?.split(' ') ?? []) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > width) lines.push(`# ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
