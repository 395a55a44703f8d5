import type { LogLevel } from '@portal/contract/logs';
import type { LogField } from '../text/log-fields.ts';

/** The search as typed. */
export interface LogPattern {
  readonly text: string;
  readonly isRegExp: boolean;
  readonly matchCase: boolean;
}

/** The rows to show and to highlight. */
export interface LogQuery {
  /** The visible levels; null for all. */
  readonly levels: readonly LogLevel[] | null;
  readonly pattern: LogPattern | null;
  /** The field that rows must have; null for any row. */
  readonly field: LogField | null;
  /** Whether rows without a match are hidden, or matches are only highlighted. */
  readonly mode: 'filter' | 'highlight';
}

export const showAll: LogQuery = { levels: null, pattern: null, field: null, mode: 'highlight' };

/** Whether the query hides rows. */
export function hidesRows(query: LogQuery): boolean {
  return query.levels !== null || query.field !== null || (query.pattern !== null && query.mode === 'filter');
}

export function isSameQuery(left: LogQuery, right: LogQuery): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

export type CompiledPattern =
  | {
      readonly regExp: RegExp;
      /** The expression contains a line break, so it may match across lines. */
      readonly canSpanLines: boolean;
    }
  /** Why the pattern is invalid. */
  | { readonly error: string };

/**
 * Compiles a pattern into an expression that matches within a line. Literals become expressions
 * too, because CodeMirror's literal search takes seconds on a million lines.
 */
export function compilePattern(pattern: LogPattern): CompiledPattern {
  const flags = pattern.matchCase ? 'gm' : 'gim';
  if (!pattern.isRegExp) {
    return { regExp: new RegExp(pattern.text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), flags), canSpanLines: false };
  }
  try {
    // Validate the text as typed, so that the error refers to it.
    new RegExp(pattern.text, flags);
    return { regExp: new RegExp(withinLine(pattern.text), flags), canSpanLines: mentionsLineBreak.test(pattern.text) };
  } catch (error) {
    // "Invalid regular expression: /(/gim: Unterminated group" → only the useful part.
    const reason = error instanceof Error ? (error.message.split(': ').at(-1) ?? error.message) : String(error);
    return { error: `Invalid regular expression: ${reason}. Showing the last valid search.` };
  }
}

const mentionsLineBreak = /\\(?:n|r|x0[ad]|u000[ad]|c[jm])|\n/i;
/** An escape, a whole character class, or any other character. */
const tokens = /\\[\s\S]|\[\^?(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/g;
const boundedClasses: Readonly<Record<string, string>> = { '\\s': '[^\\S\\n]', '\\W': '[^\\w\\n]', '\\D': '[^\\d\\n]' };

/**
 * Restricts negated classes to one line, as `.` is. Otherwise `[^x]*` would scan the whole text
 * again from each position.
 */
function withinLine(source: string): string {
  return source.replaceAll(tokens, (token) => {
    if (token.startsWith('[^')) return `[^\\n${token.slice(2)}`;
    if (/^\[.*\\[sWDP]/.test(token)) return `(?:(?!\\n)${token})`;
    return boundedClasses[token] ?? token;
  });
}

/** Returns the line and column of the first match in a text, or the start if there is none. */
export function locateMatch(text: string, regExp: RegExp | undefined): { line: number; column: number } {
  if (regExp) regExp.lastIndex = 0;
  const before = text.slice(0, regExp?.exec(text)?.index ?? 0).split('\n');
  return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}
