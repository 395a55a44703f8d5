/** Finds the fields of another platform by their names and values. */
import { isJsonObject, type JsonObject } from '../helium/dialect/json-path.ts';

export interface WantedField<Name extends string> {
  readonly name: Name;
  /** The configured name, which is preferred if it is there. */
  readonly configured: string;
  /** Patterns of names in lower case without separators, the best first. */
  readonly patterns: readonly RegExp[];
  /** Whether values fit; `values` has at least one, and no null unless all are. */
  readonly accepts: (values: readonly unknown[]) => boolean;
}

interface Candidate<Name extends string> {
  readonly name: Name;
  readonly path: string;
  readonly score: number;
}

const maxDepth = 3;

/** Returns the path of each field that was found in the objects. No path is used twice. */
export function matchFields<Name extends string>(
  wanted: readonly WantedField<Name>[],
  objects: readonly JsonObject[],
): Partial<Record<Name, string>> {
  const values = collectValues(objects);
  const candidates = wanted.flatMap((field) =>
    [...values].flatMap(([path, found]): Candidate<Name>[] => {
      const score = getScore(field, path);
      return score > 0 && field.accepts(found) ? [{ name: field.name, path, score }] : [];
    }),
  );
  const matched: Partial<Record<Name, string>> = {};
  const used = new Set<string>();
  for (const { name, path } of candidates.toSorted((one, other) => other.score - one.score)) {
    if (matched[name] !== undefined || used.has(path)) continue;
    matched[name] = path;
    used.add(path);
  }
  return matched;
}

/** The values of each path in all objects; null only where there is nothing else. */
export function collectValues(objects: readonly JsonObject[]): Map<string, readonly unknown[]> {
  const values = new Map<string, unknown[]>();
  for (const object of objects) collect(object, [], values);
  return new Map(
    [...values].map(([path, found]) => {
      const present = found.filter((value) => value !== null);
      return [path, present.length > 0 ? present : found];
    }),
  );
}

function collect(object: JsonObject, parents: readonly string[], values: Map<string, unknown[]>): void {
  for (const [name, value] of Object.entries(object)) {
    // A path with such a name would be ambiguous.
    if (name.includes('.')) continue;
    const steps = [...parents, name];
    const path = steps.join('.');
    values.set(path, [...(values.get(path) ?? []), value]);
    if (isJsonObject(value) && steps.length < maxDepth) collect(value, steps, values);
  }
}

function getScore<Name extends string>({ name, configured, patterns }: WantedField<Name>, path: string): number {
  if (path === configured) return 1_000;
  const normalized = normalize(path);
  const last = normalize(path.split('.').at(-1) ?? '');
  if (last === normalize(name)) return 500;
  const rank = patterns.findIndex((pattern) => pattern.test(normalized) || pattern.test(last));
  return rank < 0 ? 0 : 100 - 10 * rank - path.split('.').length;
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

export function areTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}

export function areTextsOrNull(values: readonly unknown[]): boolean {
  return values.every((value) => value === null || typeof value === 'string');
}

/** Returns the path of the list: `$`, or the first list of objects, outermost first. */
export function findList(document: unknown): string | undefined {
  if (Array.isArray(document)) return '$';
  if (!isJsonObject(document)) return undefined;
  const lists = [...collectValues([document])].filter(([, [value]]) => Array.isArray(value));
  const withObjects = lists.find(([, [value]]) => Array.isArray(value) && value.some(isJsonObject));
  return (withObjects ?? lists[0])?.[0];
}
