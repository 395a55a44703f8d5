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

/**
 * The expression that finds a pattern, line by line; or, in words, what is wrong with it. A literal becomes an
 * expression too: CodeMirror's own literal search takes seconds on a million lines.
 */
export function compilePattern(pattern: LogPattern): { regExp: RegExp } | { fault: string } {
  const source = pattern.isRegExp ? pattern.text : pattern.text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  try {
    return { regExp: new RegExp(source, pattern.matchCase ? 'gm' : 'gim') };
  } catch (error) {
    // "Invalid regular expression: /(/gim: Unterminated group" → what people can use of it.
    const reason = error instanceof Error ? (error.message.split(': ').at(-1) ?? error.message) : String(error);
    return { fault: `Not a regular expression: ${reason}. The last valid search stays.` };
  }
}
