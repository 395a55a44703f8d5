/**
 * Rewrites a recorded text so that the server can plan it. PostgreSQL replaces each constant by a
 * parameter, also where its grammar allows only a constant: `interval '1 day'` is recorded as
 * `interval $1`.
 */

const name = String.raw`(?:[a-z_][\w$]*|(?:"[^"]*")+)`;
const timeType = String.raw`time(?:stamp)?\s*(?:\(\s*\d+\s*\))?\s+with(?:out)?\s+time\s+zone`;
/** A type at the end of a text: `date `, `numeric(10, 2) `, `double precision `. */
const typeAtEnd = new RegExp(
  String.raw`(?:double\s+precision|${timeType}|(?:${name}\.)?${name}(?:\s*\([\d\s,]*\))?)\s*$`,
  'i',
);

/** `extract(year from at)`: its field is recorded as a parameter as well. */
const extractAtEnd = /\bextract\s*\(\s*$/i;

/** Longer than any type. Matching the whole text could take a time that grows with its square. */
const maxTypeLength = 300;

/**
 * Returns the text with the parameter at this place written as the grammar allows it; null when it
 * does not stand for such a constant.
 *
 * @param at where the server reports a syntax error, from 0
 */
export function restoreConstant(text: string, at: number): string | null {
  const rest = text.slice(at);
  const parameter = /^\$\d+/.exec(rest)?.[0];
  if (parameter === undefined) return null;
  const after = rest.slice(parameter.length);
  // It has its type and is still rejected: taking another word for its type would be a guess.
  if (after.startsWith('::')) return null;
  const before = text.slice(Math.max(0, at - maxTypeLength), at);
  const start = text.slice(0, at - before.length);
  if (extractAtEnd.test(before)) {
    const from = /^\s+from\b/i.exec(after)?.[0];
    if (from === undefined) return null;
    return `${start}${before.replace(extractAtEnd, 'pg_catalog.extract(')}${parameter},${after.slice(from.length)}`;
  }
  const type = typeAtEnd.exec(before)?.[0];
  if (type === undefined) return null;
  return `${start}${before.slice(0, -type.length)}${parameter}::${type.trimEnd()}${after}`;
}

/** Since version 18, a list of constants is recorded as its first one and a comment. */
export function hasShortenedList(text: string): boolean {
  return text.includes('/*, ... */');
}

/** Returns the statement without the comments and parentheses before its first word. */
export function skipToFirstWord(text: string): string {
  return text.replace(/^(?:\s|\(|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/, '');
}

/** The start of `create table … as` and `create materialized view … as`. */
const createAs =
  /^create\s+(?:(?:(?:global|local)\s+)?(?:temporary|temp)\s+|unlogged\s+)?(?:table|materialized\s+view)\s[\s\S]*?\sas\s*(?=\(|(?:select|with|values|table|execute)\b)/i;

/** @param statement from its first word */
export function createsFromQuery(statement: string): boolean {
  return createAs.test(statement);
}

/**
 * Returns the query of a statement that creates a table or a materialized view from it, because the
 * server refuses to plan the creation of what exists already. Returns any other text unchanged.
 */
export function getPlannedText(text: string): string {
  const statement = skipToFirstWord(text).trimEnd();
  if (!createsFromQuery(statement)) return text;
  return statement.replace(createAs, '').replace(/\swith\s+(?:no\s+)?data\s*;?$/i, '');
}

/** Whether the text has parameters where the statement had constants. */
export function hasParameters(text: string): boolean {
  return /\$\d/.test(text);
}
