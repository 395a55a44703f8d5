import type { SettingSchema } from './json-schema.ts';

const width = 116;

/**
 * A configuration to start from: what must be said as an example, everything else commented out
 * with its default.
 */
export function writeExample(schema: SettingSchema): string {
  const head = [
    '# An example to copy; made from server/src/config.ts by `npm run generate`, so change it there.',
    `# Secrets are better not written here: \${NAME} takes one from the environment, file:/path from a file.`,
  ];
  return `${[...head, ...blockOf(schema, new Set(['databaseUrl']))].join('\n')}\n`;
}

/**
 * One block of lines per setting. Settings in `elsewhere` must be said, but usually by an
 * environment variable.
 */
function blockOf({ properties = {}, required = [] }: SettingSchema, elsewhere: ReadonlySet<string>): string[] {
  return Object.entries(properties).flatMap(([name, setting]) => {
    const isActive = required.includes(name) && !elsewhere.has(name);
    const lines = linesOf(name, setting);
    return ['', ...commentOf(setting.description), ...(isActive ? lines : lines.map(commentedOut))];
  });
}

function linesOf(name: string, setting: SettingSchema): string[] {
  const { properties, items } = setting;
  if (properties) return [`${name}:`, ...indented(tight(setting), '  ')];
  if (items?.properties) {
    const [first = '', ...rest] = tight(items);
    return [`${name}:`, `  - ${first}`, ...indented(rest, '    ')];
  }
  return [`${name}: ${JSON.stringify(setting.example ?? setting.default ?? '')}`];
}

/** The settings within a setting, all of them said, without empty lines between. */
function tight({ properties = {} }: SettingSchema): string[] {
  return Object.entries(properties).flatMap(([name, setting]) => [
    ...commentOf(setting.description),
    ...linesOf(name, setting),
  ]);
}

function indented(lines: readonly string[], by: string): string[] {
  return lines.map((line) => by + line);
}

function commentedOut(line: string): string {
  return `# ${line}`;
}

function commentOf(description: string | undefined): string[] {
  const lines: string[] = [];
  for (const word of description?.split(' ') ?? []) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > width) lines.push(`# ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
