import { isStorable } from './postgres/storable-text.ts';
import { Invalid } from './problems.ts';

const maxDepth = 32;
/**
 * Keys and values. The largest payload of the contract, a list of 10,000 apps, has half as many.
 */
const maxElements = 20_000;

/** Character codes of JSON's punctuation. */
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openingBracket = 0x5b;
const backslash = 0x5c;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** Only such texts can contain a forbidden key or a text that PostgreSQL cannot store. */
const suspicious = /\\u|__proto__|constructor/;

/**
 * Parses JSON from outside. Throws Invalid for a text that is nested too deeply or has too many
 * elements before parsing it, because elements cost far more than their bytes. Also rejects texts
 * that PostgreSQL cannot store, and keys that replace an object's prototype.
 *
 * `subject` starts the problem's message: "The first frame is not valid JSON." With `isStored`
 * false, texts may contain any characters.
 */
export function parseBoundedJson(text: string, subject = 'The request', { isStored = true } = {}): unknown {
  requireBounds(text, subject);
  const requireHarmless = (key: string, value: unknown) => {
    if (replacesPrototype(key, value)) throw new Error('replaces a prototype');
    if (isStored && !(isStorable(key) && (typeof value !== 'string' || isStorable(value))))
      throw new InvalidCharacters();
    return value;
  };
  try {
    return JSON.parse(text, suspicious.test(text) ? requireHarmless : undefined);
  } catch (error) {
    if (error instanceof InvalidCharacters) throw new Invalid(`${subject} contains invalid characters.`);
    throw new Invalid(`${subject} is not valid JSON.`);
  }
}

/**
 * Counts in one pass over the text. The elements are the commas, colons and opening brackets, plus
 * one: as many as there are keys and values, or a few more.
 */
function requireBounds(text: string, subject: string): void {
  let depth = 0;
  let elements = 1;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === backslash) at++;
      else if (code === quote) isInString = false;
      continue;
    }
    if (code === quote) isInString = true;
    else if (code === closingBracket || code === closingBrace) depth--;
    else if (code === comma || code === colon) elements++;
    else if (code === openingBracket || code === openingBrace) {
      elements++;
      depth++;
      if (depth > maxDepth) throw new Invalid(`${subject} is nested more than ${maxDepth} levels deep.`);
    }
    if (elements > maxElements) throw new Invalid(`${subject} has more than ${maxElements} keys and values.`);
  }
}

class InvalidCharacters extends Error {}

function replacesPrototype(key: string, value: unknown): boolean {
  if (key === '__proto__') return true;
  return key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}
