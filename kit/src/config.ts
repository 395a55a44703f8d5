import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { Secret } from './secret.ts';

/** All errors of a configuration in one message. */
export class ConfigurationProblem extends Error {
  readonly errors: readonly string[];

  constructor(source: string, errors: readonly string[]) {
    const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
    super([`The configuration (${source}) has ${count}:`, ...errors.map((error) => `  ${error}`)].join('\n'));
    this.name = 'ConfigurationProblem';
    this.errors = errors;
  }
}

/** A schema for secret texts, which are parsed into a `Secret`. */
export const secretText = z
  .string()
  .min(1)
  .transform((value) => new Secret(value));

export interface ConfigurationSource {
  /** A YAML file; without one, the schema's defaults apply. */
  readonly file?: string | undefined;
  /** The settings to read; the others belong to another service. Defaults to all. */
  readonly settings?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads, resolves, validates and freezes a configuration. A text may reference environment
 * variables (`${PORTAL_TOKEN}`, anywhere in the text) or a file with its value
 * (`file:/run/secrets/token`, relative to the configuration's folder, trimmed). Throws a
 * ConfigurationProblem that lists all errors.
 */
export function loadConfiguration<T>(schema: z.ZodType<T>, { file, settings, env }: ConfigurationSource): T {
  const source = file ?? 'defaults';
  const errors: string[] = [];
  const allSettings = file === undefined ? {} : readYaml(file, errors);
  if (errors.length > 0) throw new ConfigurationProblem(source, errors);
  const selectedSettings = settings === undefined ? allSettings : pickSettings(allSettings, settings);

  const resolveText = createReferenceResolver(file === undefined ? '.' : dirname(file), env);
  const resolvedSettings = mapTexts(selectedSettings, [], (text, path) => {
    try {
      return resolveText(text);
    } catch (error) {
      errors.push(`${formatPath(path)}: ${error instanceof Error ? error.message : error}`);
      return text;
    }
  });
  const checked = schema.safeParse(resolvedSettings);
  if (!checked.success)
    errors.push(...checked.error.issues.map(({ path, message }) => `${formatPath(path)}: ${message}`));
  if (!checked.success || errors.length > 0) throw new ConfigurationProblem(source, errors);
  return deepFreeze(checked.data);
}

function pickSettings(allSettings: unknown, settings: readonly string[]): unknown {
  if (typeof allSettings !== 'object' || allSettings === null || Array.isArray(allSettings)) return allSettings;
  return Object.fromEntries(Object.entries(allSettings).filter(([setting]) => settings.includes(setting)));
}

function readYaml(file: string, errors: string[]): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    errors.push(describeReadError(error));
    return undefined;
  }
  const document = parseDocument(text);
  for (const { message } of document.errors) errors.push(describeYamlError(message));
  if (errors.length > 0) return undefined;
  try {
    return document.toJS() ?? {};
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    errors.push('a text that begins with * must be in quotation marks');
    return undefined;
  }
}

/**
 * Returns the first line; the others draw the position, which it states already. Leaves out what
 * the file has there, which may be a secret.
 */
function describeYamlError(message: string): string {
  const [line = message] = message.split('\n');
  return line.replace(/:$/, '').replace(/: .*(?= at line \d+, column \d+$)/, '');
}

function createReferenceResolver(folder: string, env: ConfigurationSource['env']) {
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
    throw new Error(describeReadError(error));
  }
}

/** Describes why a file cannot be read: `the file /run/token does not exist`. */
export function describeReadError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const path = 'path' in error ? String(error.path) : 'the file';
  if ('code' in error && error.code === 'ENOENT') return `the file ${path} does not exist`;
  if ('code' in error && error.code === 'EACCES') return `${path} cannot be read: permission denied`;
  return error.message;
}

type Path = readonly PropertyKey[];

function mapTexts(value: unknown, path: Path, map: (text: string, path: Path) => string): unknown {
  if (typeof value === 'string') return map(value, path);
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, [...path, index], map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, [...path, key], map)]));
}

/** Formats a path: `environments[0].baseUrl`. */
function formatPath(path: Path): string {
  if (path.length === 0) return 'the configuration';
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${String(step)}`))
    .join('');
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
