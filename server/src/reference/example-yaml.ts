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
  return `${[...head, ...toBlock(schema, new Set(['databaseUrl']))].join('\n')}\n`;
}

/**
 * One block of lines per setting. Settings in `elsewhere` must be said, but usually by an
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
    const [first = '', ...rest] = toCompactLines(items);
    return [`${name}:`, `  - ${first}`, ...indent(rest, '    ')];
  }
  return [`${name}: ${JSON.stringify(setting.example ?? setting.default ?? '')}`];
}

/** The settings within a setting, all of them said, without empty lines between. */
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
