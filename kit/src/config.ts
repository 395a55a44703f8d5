import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { Secret } from './secret.ts';

/** Everything that is wrong with a configuration, in one message. */
export class ConfigurationProblem extends Error {
  readonly errors: readonly string[];

  constructor(source: string, errors: readonly string[]) {
    const count = errors.length === 1 ? 'a mistake' : `${errors.length} mistakes`;
    super([`The configuration (${source}) has ${count}:`, ...errors.map((mistake) => `  ${mistake}`)].join('\n'));
    this.name = 'ConfigurationProblem';
    this.errors = errors;
  }
}

/** For schemas: a text that from here on shows itself to nobody who does not ask. */
export const secretText = z
  .string()
  .min(1)
  .transform((value) => new Secret(value));

export interface ConfigurationSource {
  /** A YAML file; without one the schema's defaults are the configuration. */
  readonly file?: string | undefined;
  /**
   * Only these settings are looked at, because the others are another service's; all of them when
   * left out.
   */
  readonly settings?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads, completes, checks and freezes a configuration. A text in the file may name a variable of
 * the environment (`${PORTAL_TOKEN}`, anywhere in it) or a file whose content it stands for
 * (`file:/run/secrets/token`, relative to the configuration's folder, surrounding white space
 * dropped). Throws a ConfigurationProblem that says all mistakes at once.
 */
export function loadConfiguration<T>(schema: z.ZodType<T>, { file, settings, env }: ConfigurationSource): T {
  const source = file ?? 'defaults';
  const errors: string[] = [];
  const whole = file === undefined ? {} : readYaml(file, errors);
  if (errors.length > 0) throw new ConfigurationProblem(source, errors);
  const written = settings === undefined ? whole : pick(whole, settings);

  const resolveText = referenceResolver(file === undefined ? '.' : dirname(file), env);
  const complete = mapTexts(written, [], (text, path) => {
    try {
      return resolveText(text);
    } catch (error) {
      errors.push(`${nameOf(path)}: ${error instanceof Error ? error.message : error}`);
      return text;
    }
  });
  const checked = schema.safeParse(complete);
  if (!checked.success) errors.push(...checked.error.issues.map(({ path, message }) => `${nameOf(path)}: ${message}`));
  if (!checked.success || errors.length > 0) throw new ConfigurationProblem(source, errors);
  return freeze(checked.data);
}

function pick(written: unknown, settings: readonly string[]): unknown {
  if (typeof written !== 'object' || written === null || Array.isArray(written)) return written;
  return Object.fromEntries(Object.entries(written).filter(([setting]) => settings.includes(setting)));
}

function readYaml(file: string, errors: string[]): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    errors.push(reasonFor(error));
    return undefined;
  }
  const document = parseDocument(text);
  // The rest of the message is a drawing of the place, which its first line has named already.
  for (const { message } of document.errors) errors.push(message.split('\n')[0]?.replace(/:$/, '') ?? message);
  return errors.length > 0 ? undefined : (document.toJS() ?? {});
}

function referenceResolver(folder: string, env: ConfigurationSource['env']) {
  return (text: string): string => {
    if (text.startsWith('file:')) return readSecretFile(resolve(folder, text.slice('file:'.length)));
    return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const value = env[name];
      if (value === undefined) throw new Error(`the environment variable ${name} is not set`);
      return value;
    });
  };
}

function readSecretFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new Error(reasonFor(error));
  }
}

function reasonFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const path = 'path' in error ? String(error.path) : 'the file';
  if ('code' in error && error.code === 'ENOENT') return `there is no file ${path}`;
  if ('code' in error && error.code === 'EACCES') return `${path} may not be read`;
  return error.message;
}

type Path = readonly PropertyKey[];

function mapTexts(value: unknown, path: Path, map: (text: string, path: Path) => string): unknown {
  if (typeof value === 'string') return map(value, path);
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, [...path, index], map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, [...path, key], map)]));
}

/** `environments[0].baseUrl` */
function nameOf(path: Path): string {
  if (path.length === 0) return 'the whole';
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${String(step)}`))
    .join('');
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
