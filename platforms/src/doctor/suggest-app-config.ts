import type { AppConfigDialect, TimeoutsDialect } from '../helium/dialect/dialect.config.ts';
import { isJsonObject, type JsonObject, readPath } from '../helium/dialect/json-path.ts';
import { areTexts, areTextsOrNull, collectValues, matchFields } from './match-fields.ts';
import { findSpelling, invert } from './spellings.ts';

type FieldName = keyof AppConfigDialect['fields'];

const patterns: Readonly<Record<FieldName, readonly RegExp[]>> = {
  processEntryPointTimeouts: [/timeouts/, /timeout/],
  maxDatabaseResults: [/^(max|maximum)(database|db)?(result|row)/, /max.*(result|row)/, /(result|row).*(max|limit)/],
  disabled: [/^(is|app)?disabled$/, /disabled(flag|state)?$/, /^(is|app)?(enabled|active)$/],
  disabledMessage: [/disable.*(message|reason|text|note)/],
  locked: [/^(is|app)?locked$/, /(locked|lock)(flag|state)?$/],
  lockedMessage: [/lock.*(message|reason|text|note)/],
};

/**
 * Returns the dialect in which the configurations can be read, as far as names and values show.
 *
 * @param documents the configurations of several apps, because one app may have no timeouts.
 */
export function suggestAppConfig(current: AppConfigDialect, documents: readonly unknown[]): AppConfigDialect {
  const objects = documents.filter(isJsonObject);
  const configured = (name: FieldName) => [...toSteps(current.object), current.fields[name]].join('.');
  const isFlag = (values: readonly unknown[]) => findSpelling(values, current.locked) !== undefined;
  const accepts: Readonly<Record<FieldName, (values: readonly unknown[]) => boolean>> = {
    processEntryPointTimeouts: (values) => values.every((value) => typeof value === 'object'),
    maxDatabaseResults: (values) => values.every((value) => value === null || typeof value === 'number'),
    disabled: (values) => isFlag(values) || findSpelling(values, current.disabled) !== undefined,
    disabledMessage: areTextsOrNull,
    locked: isFlag,
    lockedMessage: areTextsOrNull,
  };
  const names = Object.keys(patterns).filter((name): name is FieldName => name in patterns);
  const found = matchFields(
    names.map((name) => ({ name, configured: configured(name), patterns: patterns[name], accepts: accepts[name] })),
    objects,
  );
  if (found.disabled === undefined && found.locked === undefined) return current;
  return describeFound(current, found, objects);
}

function describeFound(
  current: AppConfigDialect,
  found: Partial<Record<FieldName, string>>,
  objects: readonly JsonObject[],
): AppConfigDialect {
  const values = collectValues(objects);
  const object = findCommonParent(Object.values(found));
  const toField = (path: string) => (object === '$' ? path : path.slice(object.length + 1));
  const fields = Object.fromEntries(Object.entries(found).map(([name, path]) => [name, toField(path)]));
  const findFlag = (name: 'disabled' | 'locked') => {
    const path = found[name];
    const spelling = path === undefined ? undefined : findSpelling(values.get(path) ?? [], current[name]);
    if (path === undefined || spelling === undefined) return current[name];
    // `enabled` or `active` is the opposite of `disabled`, unless it is configured so already.
    const isOpposite =
      name === 'disabled' && toField(path) !== current.fields.disabled && /(enabled|active)$/i.test(path);
    return isOpposite ? invert(spelling) : spelling;
  };
  return {
    ...current,
    object,
    fields: { ...current.fields, ...fields },
    timeouts: suggestTimeouts(current.timeouts, {
      path: found.processEntryPointTimeouts,
      isConfigured: fields.processEntryPointTimeouts === current.fields.processEntryPointTimeouts,
      objects,
    }),
    disabled: findFlag('disabled'),
    locked: findFlag('locked'),
  };
}

interface FoundTimeouts {
  readonly path: string | undefined;
  /** Whether the field is the configured one. */
  readonly isConfigured: boolean;
  readonly objects: readonly JsonObject[];
}

function suggestTimeouts(current: TimeoutsDialect, { path, isConfigured, objects }: FoundTimeouts): TimeoutsDialect {
  if (path === undefined) return current;
  const all = objects.map((object) => readPath(object, path));
  const form = all.some(Array.isArray) ? 'list' : 'object';
  const entries = all.flat().filter(isJsonObject);
  const found =
    form === 'object'
      ? {}
      : matchFields(
          [
            {
              name: 'entryPoint',
              configured: current.fields.entryPoint,
              patterns: [/entrypoint|qualifiedname/, /(name|function|event)$/],
              accepts: (values) => areTexts(values) && values.some((value) => String(value).includes(':')),
            },
            {
              name: 'timeout',
              configured: current.fields.timeout,
              patterns: [/timeout|duration/, /(minute|second|millis|value|^ms$)/],
              accepts: (values) => values.every((value) => typeof value === 'number'),
            },
          ],
          entries,
        );
  const fields = { ...current.fields, ...found };
  const numbers = entries
    .flatMap((entry) => (form === 'list' ? [readPath(entry, fields.timeout)] : Object.values(entry)))
    .filter((value) => typeof value === 'number');
  // Values prove nothing: 120 may be two minutes or two hours. A configured unit is right.
  const isSame = isConfigured && form === current.form && fields.timeout === current.fields.timeout;
  if (isSame) return { ...current, fields };
  return { form, fields, unit: findUnit(form === 'list' ? `${path} ${fields.timeout}` : path, numbers) };
}

const unitWords: Readonly<Record<TimeoutsDialect['unit'], readonly string[]>> = {
  milliseconds: ['ms', 'millis', 'millisecond', 'milliseconds'],
  seconds: ['sec', 'secs', 'second', 'seconds'],
  minutes: ['min', 'mins', 'minute', 'minutes'],
};

/** Guesses the unit by a name, or else by values. */
function findUnit(name: string, values: readonly number[]): TimeoutsDialect['unit'] {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  for (const unit of ['milliseconds', 'seconds', 'minutes'] as const)
    if (words.some((word) => unitWords[unit].includes(word))) return unit;
  if (values.length === 0) return 'minutes';
  if (values.every((value) => value % 60_000 === 0)) return 'milliseconds';
  return values.every((value) => value % 60 === 0) ? 'seconds' : 'minutes';
}

function findCommonParent(paths: readonly string[]): string {
  const [first = '', ...others] = paths.map((path) => path.split('.').slice(0, -1).join('.'));
  return first !== '' && others.every((parent) => parent === first) ? first : '$';
}

function toSteps(position: string): string[] {
  return position === '$' ? [] : [position];
}
