import { isJsonObject, type JsonObject, readPath, writePath } from './json-path.ts';

/** A response is not what the dialect describes. The message is the rest of a sentence. */
export class UnreadableResponse extends Error {
  override readonly name = 'UnreadableResponse';
}

/** The platform's names of the fields, by the portal's names. */
export type FieldNames<Name extends string> = Readonly<Record<Name, string>>;

export function readFields<Name extends string>(names: FieldNames<Name>, object: JsonObject): Record<Name, unknown> {
  const values = Object.entries<string>(names).map(([ours, theirs]) => [ours, readPath(object, theirs)]);
  return Object.fromEntries(values);
}

/** Sets the given fields of the platform's object; undefined leaves a field as it is. */
export function writeFields<Name extends string>(
  names: FieldNames<Name>,
  values: Readonly<Partial<Record<Name, unknown>>>,
  object: JsonObject = {},
): JsonObject {
  return Object.entries<unknown>(values).reduce<JsonObject>((written, [ours, value]) => {
    const theirs = Object.entries<string>(names).find(([name]) => name === ours)?.[1];
    if (value === undefined || theirs === undefined) return written;
    const changed = writePath(written, theirs, value);
    return isJsonObject(changed) ? changed : written;
  }, object);
}

/** The entries of a list that could be read, and the reason for each one that could not. */
export interface ListReading<Entry> {
  readonly entries: Entry[];
  readonly skipped: readonly string[];
}

/**
 * Reads a list entry by entry. Throws UnreadableResponse if it is not a list, or if it has entries
 * and none of them can be read.
 *
 * @param readEntry throws UnreadableResponse for an entry that it does not understand.
 */
export function readList<Entry>(
  document: unknown,
  position: string,
  readEntry: (entry: JsonObject) => Entry,
): ListReading<Entry> {
  const list = readPath(document, position);
  if (!Array.isArray(list)) throw new UnreadableResponse(`${describePosition(position)} is not a list`);
  const entries: Entry[] = [];
  const skipped: string[] = [];
  for (const [index, entry] of list.entries()) {
    try {
      if (!isJsonObject(entry)) throw new UnreadableResponse('not an object');
      entries.push(readEntry(entry));
    } catch (error) {
      if (!(error instanceof UnreadableResponse)) throw error;
      skipped.push(`entry ${index + 1}: ${error.message}`);
    }
  }
  if (entries.length === 0 && skipped[0] !== undefined) throw new UnreadableResponse(skipped[0]);
  return { entries, skipped };
}

export function describePosition(position: string): string {
  return position === '$' ? 'the response' : `\`${position}\``;
}

/** Describes a value in a message, shortened. */
export function showValue(value: unknown): string {
  const characters = [...(JSON.stringify(value) ?? 'missing')];
  return characters.length > 60 ? `${characters.slice(0, 60).join('')}…` : characters.join('');
}

/** Throws UnreadableResponse unless it is a text with at least one character. */
export function requireText(value: unknown, field: string): string {
  if (typeof value !== 'string' || value === '')
    throw new UnreadableResponse(`${field}: ${showValue(value)} is no text`);
  return value;
}

/** A missing or null text is undefined. */
export function readOptionalText(value: unknown, field: string): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : requireText(value, field);
}
