import type { LogLevel } from '@portal/contract/logs';
import type { TimestampMode } from '../lib/format.ts';
import type { LogQuery } from './log-query.ts';

/** The view settings of a log. */
export interface LogChoices {
  /** null for all levels. */
  readonly levels: readonly LogLevel[] | null;
  readonly find: string;
  readonly isRegExp: boolean;
  readonly matchCase: boolean;
  readonly mode: LogQuery['mode'];
  readonly wrap: boolean;
  readonly timestamps: TimestampMode;
}

export const defaultLogChoices: LogChoices = {
  levels: null,
  find: '',
  isRegExp: false,
  matchCase: false,
  mode: 'highlight',
  wrap: false,
  timestamps: 'local',
};

export function toLogQuery({
  levels,
  find,
  isRegExp,
  matchCase,
  mode,
}: Omit<LogChoices, 'wrap' | 'timestamps'>): LogQuery {
  return { levels, pattern: find === '' ? null : { text: find, isRegExp, matchCase }, mode };
}
