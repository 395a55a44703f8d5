import type { LogLevel } from '@portal/contract/logs';
import type { TimestampMode } from '../lib/format.ts';
import type { LogQuery } from './log-query.ts';

/** How a log is looked at. */
export interface LogChoices {
  /** null for all. */
  readonly levels: readonly LogLevel[] | null;
  readonly find: string;
  readonly isRegExp: boolean;
  readonly matchCase: boolean;
  readonly mode: LogQuery['mode'];
  readonly wrap: boolean;
  readonly timestamps: TimestampMode;
}

export const usualLogChoices: LogChoices = {
  levels: null,
  find: '',
  isRegExp: false,
  matchCase: false,
  mode: 'highlight',
  wrap: false,
  timestamps: 'local',
};

export function queryOf({
  levels,
  find,
  isRegExp,
  matchCase,
  mode,
}: Omit<LogChoices, 'wrap' | 'timestamps'>): LogQuery {
  return { levels, pattern: find === '' ? null : { text: find, isRegExp, matchCase }, mode };
}
