import type { LogLevel } from '@portal/contract/logs';

/** What is searched for, as typed. */
export interface LogPattern {
  readonly text: string;
  readonly isRegExp: boolean;
  readonly matchCase: boolean;
}

/** What the view shows and marks. */
export interface LogQuery {
  /** The levels that are shown; null for all. */
  readonly levels: readonly LogLevel[] | null;
  readonly pattern: LogPattern | null;
  /** Whether what does not match the pattern is hidden, or what does is only marked. */
  readonly mode: 'filter' | 'highlight';
}

export const showAll: LogQuery = { levels: null, pattern: null, mode: 'highlight' };

/** Whether the query leaves rows out. */
export function hidesRows(query: LogQuery): boolean {
  return query.levels !== null || (query.pattern !== null && query.mode === 'filter');
}

export function isSameQuery(left: LogQuery, right: LogQuery): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

export type CompiledPattern =
  | {
      readonly regExp: RegExp;
      /** It names a line break, so it may match over the end of a line. */
      readonly mayCross: boolean;
    }
  /** In words, what is wrong with it. */
  | { readonly fault: string };

/**
 * The expression that finds a pattern within a line. A literal becomes an expression too:
 * CodeMirror's own literal search takes seconds on a million lines.
 */
export function compilePattern(pattern: LogPattern): CompiledPattern {
  const flags = pattern.matchCase ? 'gm' : 'gim';
  if (!pattern.isRegExp) {
    return { regExp: new RegExp(pattern.text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), flags), mayCross: false };
  }
  try {
    // What the user typed is judged as it is, so that the fault is said in its terms.
    new RegExp(pattern.text, flags);
    return { regExp: new RegExp(withinLine(pattern.text), flags), mayCross: namesBreak.test(pattern.text) };
  } catch (error) {
    // "Invalid regular expression: /(/gim: Unterminated group" → what people can use of it.
    const reason = error instanceof Error ? (error.message.split(': ').at(-1) ?? error.message) : String(error);
    return { fault: `Not a regular expression: ${reason}. The last valid search stays.` };
  }
}

const namesBreak = /\\(?:n|r|x0[ad]|u000[ad]|c[jm])|\n/i;
/** An escape, a whole character class, or any other character. */
const tokens = /\\[\s\S]|\[\^?(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/g;
const bound: Readonly<Record<string, string>> = { '\\s': '[^\\S\\n]', '\\W': '[^\\w\\n]', '\\D': '[^\\d\\n]' };

/**
 * The same expression, but what matches "anything but" stops at the end of the line, as `.` does:
 * on a text of many lines `[^x]*` would otherwise run through all of them, again from each place.
 */
function withinLine(source: string): string {
  return source.replaceAll(tokens, (token) => {
    if (token.startsWith('[^')) return `[^\\n${token.slice(2)}`;
    if (/^\[.*\\[sWDP]/.test(token)) return `(?:(?!\\n)${token})`;
    return bound[token] ?? token;
  });
}

/**
 * In which line of a text, and where in it, the first match begins; the beginning when there is
 * none.
 */
export function placeOfMatch(text: string, regExp: RegExp | undefined): { line: number; column: number } {
  if (regExp) regExp.lastIndex = 0;
  const before = text.slice(0, regExp?.exec(text)?.index ?? 0).split('\n');
  return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}
