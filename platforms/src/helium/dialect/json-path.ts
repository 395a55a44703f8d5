/**
 * Reads and writes parts of JSON documents by path: `$` is the document, `data.items` a field of a
 * field.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

const wholeDocument = '$';

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns undefined where there is no such part. */
export function readPath(document: unknown, path: string): unknown {
  if (path === wholeDocument) return document;
  return path.split('.').reduce(readField, document);
}

/** Returns the document with another part; objects on the way are created. */
export function writePath(document: unknown, path: string, value: unknown): unknown {
  return path === wholeDocument ? value : writeSteps(document, path.split('.'), value);
}

function writeSteps(document: unknown, [name = '', ...rest]: readonly string[], value: unknown): JsonObject {
  const parent = isJsonObject(document) ? document : {};
  return { ...parent, [name]: rest.length === 0 ? value : writeSteps(readField(parent, name), rest, value) };
}

function readField(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Replaces each `{name}` of a path by its encoded value. Unknown names stay. */
export function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (written, name: string) =>
    Object.hasOwn(values, name) ? encodeURIComponent(values[name] ?? '') : written,
  );
}
