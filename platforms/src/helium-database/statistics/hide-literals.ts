/**
 * Hides the literals of statements, inside the data source, so that a password in a statement never
 * reaches the portal, and neither a search nor a length is computed from it.
 *
 * PostgreSQL records SELECT, INSERT, UPDATE, DELETE, and MERGE with parameters in place of their
 * literals. All other statements can keep them: `create role … password '…'`, `do $$…$$`, and until
 * version 15 `select '…' into …`. So does any statement whose entry was reset or dropped while it
 * ran. No list of kinds would be complete, and none is needed: a text with a literal is not
 * normalized.
 *
 * Every pattern is in dollar quotes, and so contains no `$$`, because the meaning of a backslash in
 * plain quotes depends on the setting `standard_conforming_strings`. The recorded statements ran
 * under any setting, so a literal with a backslash hides the rest of its statement, as do the few
 * tokens whose end is not certain: nested comments, dollar quotes with a tag, and whatever is not
 * closed.
 */

import { portalMark } from '@portal/kit/postgres/portal-mark';

/** Replaces what is hidden, between the quotes it had. ASCII, for databases of every encoding. */
const hiddenText = '***';

// cspell:ignore alnum sele inse upda dele
// Each class also has every character beyond ASCII, as in PostgreSQL's own scanner.
const wordStart = String.raw`[^\u0001-\u0040\u005b-\u005e\u0060\u007b-\u007f]`;
const tagPart = String.raw`[^\u0001-\u002f\u003a-\u0040\u005b-\u005e\u0060\u007b-\u007f]`;
const wordPart = String.raw`[^\u0001-\u0023\u0025-\u002f\u003a-\u0040\u005b-\u005e\u0060\u007b-\u007f]`;
const nextOfTag = `${wordStart}${tagPart}*[$]`;
const commentPart = '(?:[^*/]|[*](?!/)|/(?![*]))*';
const shown = [
  // A `$` in a word starts no quote.
  `${wordStart}${wordPart}*`,
  '"[^"]*"',
  '[$][0-9]+',
  // What is left in ASCII: neither words, nor the signs that the other patterns start with.
  String.raw`[\u0001-\u0021\u0023\u0025\u0026\u0028-\u002c\u002e\u0030-\u0040\u005b-\u005e\u0060\u007b-\u007f]`,
  `[$](?![$0-9]|${nextOfTag})`,
  '-(?!-)',
  '/(?![*])',
  portalMark.replaceAll('*', '[*]'),
  // What version 18 writes for all but the first constant of a list.
  '/[*], [.]{3} [*]/',
].join('|');
const shownComments = String.raw`--[^\r\n]*(?![^\r\n])|/[*]${commentPart}[*]/`;

/** The tokens whose content is hidden, with their quotes as groups. */
const hidden = [
  String.raw`(')(?:[^'\\]|'')*(?:'|\\.*$|$)`,
  '([$][$])(?:[^$]|[$](?![$]))*(?:[$][$]|$)',
  `([$]${nextOfTag}).*$`,
  '(")[^"]*$',
  `(/[*])${commentPart}(?:/[*].*)?$`,
].join('|');
const hiddenComments = String.raw`(--)[^\r\n]*|(/[*])${commentPart}([*]/)`;

/** These are recorded with parameters; their comments are those of the app's developers. */
const normalizedKinds = 'select|insert|update|delete|merge|with|values|table';
const beforeKind = String.raw`(?:[[:space:](]|--[^\r\n]*[\r\n]|/[*]${commentPart}[*]/)*`;
const startsNormalized = `^${beforeKind}(?:${normalizedKinds})(?!${wordPart})`;

/**
 * `set app.password = secret`: values without quotes are hidden unless the setting is one of the
 * server's own, which have no prefix. Follows the hiding of comments.
 */
const space = String.raw`(?:[[:space:]]|/[*][*]{3}[*]/|--[*]{3}[\r\n])`;
const quotedName = '(?:"[^"]*")+';
const namePart = `(?:${wordPart}+|${quotedName})`;
const settingName = `(?:${namePart}(?:${space}*[.]${space}*${namePart})+|${quotedName})`;
const beforeSetting = `(?:^|[^[:alnum:]_$"])set${space}+(?:(?:session|local)${space}+)?`;
const customSetting = `(${beforeSetting}${settingName}${space}*(?:=|to(?!${wordPart})))`;

/** Contains everything that starts a hidden text. */
const mayHide = `['$]|--|/[*]|[sS][eE][tT]`;

/**
 * Returns an SQL expression for the text of a statement without its literals.
 *
 * The first two cases only save time, because nearly all texts are normalized. The first one splits
 * a text at each `$`: what follows the start of a dollar quote is a letter, an underscore, or
 * another `$`, which leaves an empty part, read as null. What follows that of a parameter is a
 * digit; the added `1` makes the part before the first `$` start with one too. A text of 3 kB takes
 * 3 µs, and one with a hundred parameters 8 µs. A pattern would take 13 µs.
 */
export function hideLiterals(query: string): string {
  return `case
    when lower(left(${query}, 4)) in ('sele', 'inse', 'upda', 'dele') and strpos(${query}, '''') = 0
      and ':' > all (string_to_array('1' || ${query}, '$', '') collate "C") then ${query}
    when ${query} !~ $$${mayHide}$$ then ${query}
    when left(${query}, 1000) ~* $$${startsNormalized}$$
      then ${replaceHidden(query, `((?:${shown}|${shownComments})+)|${hidden}`)}
    else regexp_replace(${replaceHidden(query, `((?:${shown})+)|${hidden}|${hiddenComments}`)},
      $$(?:${customSetting}.*$)$$, $$\\1 ${hiddenText}$$, 'i') end`;
}

/** The pattern matches every token: what is shown as its first group, or quotes as the others. */
function replaceHidden(query: string, pattern: string): string {
  return `coalesce((
      select string_agg(coalesce(token[1], concat(token[2], token[3], token[4], token[5], token[6], token[7], token[8],
        '${hiddenText}', token[9], token[6], token[5], token[4], token[3], token[2])), '' order by at)
      from regexp_matches(${query}, $$(?:${pattern})$$, 'g') with ordinality as tokens (token, at)
    ), left(${query}, 0))`;
}
