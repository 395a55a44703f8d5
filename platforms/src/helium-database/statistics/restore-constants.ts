/**
 * Writes a recorded text so that the server can plan it. PostgreSQL replaces each constant by a
 * parameter, also where its grammar allows only a constant: `interval '1 day'` is recorded as
 * `interval $1`.
 */

/** A type before a constant, at the end of a text: `date `, `numeric(10, 2) `, `double precision `. */
const typeBefore =
  /(?<type>double\s+precision|time(?:stamp)?\s*(?:\(\s*\d+\s*\))?\s+with(?:out)?\s+time\s+zone|(?:(?:[a-z_][\w$]*|(?:"[^"]*")+)\.)?(?:[a-z_][\w$]*|(?:"[^"]*")+)(?:\s*\([\d\s,]*\))?)\s*$/i;

/** The field before the value of `extract(year from at)`, which is recorded as a parameter as well. */
const extractBefore = /\bextract\s*\(\s*$/i;

/**
 * Returns the text with the parameter at this place written as the grammar allows it; null when it
 * does not stand for such a constant.
 *
 * @param at where the server reports a syntax error, from 0
 */
export function restoreConstant(text: string, at: number): string | null {
  const [before, rest] = [text.slice(0, at), text.slice(at)];
  const parameter = /^\$\d+/.exec(rest)?.[0];
  if (parameter === undefined) return null;
  const after = rest.slice(parameter.length);
  // Already written with its type, and still refused: another word before it would be a guess.
  if (after.startsWith('::')) return null;
  if (extractBefore.test(before)) {
    const operand = /^\s+from\b/i.exec(after)?.[0];
    if (operand === undefined) return null;
    return `${before.replace(extractBefore, 'pg_catalog.extract(')}${parameter},${after.slice(operand.length)}`;
  }
  const { index, groups: { type } = {} } = typeBefore.exec(before) ?? {};
  return type === undefined ? null : `${before.slice(0, index)}${parameter}::${type}${after}`;
}

/** Since version 18, a list of constants is recorded as its first one and a comment. */
export function shortensLists(text: string): boolean {
  return text.includes('/*, ... */');
}

/** The start of `create table … as` and `create materialized view … as`, after comments. */
const createAs =
  /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*create\s+(?:(?:(?:global|local)\s+)?temp(?:orary)?\s+|unlogged\s+)?(?:table|materialized\s+view)\s[\s\S]*?\sas\s*(?=\(|(?:select|with|values|table|execute)\b)/i;

export function createsFromQuery(text: string): boolean {
  return createAs.test(text);
}

/**
 * Returns the query of a statement that creates a table or a materialized view from it, because the
 * server refuses to plan the creation of what exists already. Returns any other text unchanged.
 */
export function getPlannedText(text: string): string {
  return createsFromQuery(text) ? text.replace(createAs, '').replace(/\swith\s+(?:no\s+)?data\s*;?\s*$/i, '') : text;
}

/** Whether the text has parameters where the statement had constants. */
export function hasParameters(text: string): boolean {
  return /\$\d/.test(text);
}
