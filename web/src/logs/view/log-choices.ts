import type { LogLevel } from '@portal/contract/logs';
import type { TimestampMode } from '../../format/instants.ts';
import type { LogQuery } from '../search/log-query.ts';
import type { LogField } from '../text/log-fields.ts';

/** The view settings of a log. */
export interface LogChoices {
  /** null for all levels. */
  readonly levels: readonly LogLevel[] | null;
  readonly find: string;
  readonly isRegExp: boolean;
  readonly matchCase: boolean;
  readonly mode: LogQuery['mode'];
  /** Shows only JSON lines with this field; null for all lines. */
  readonly field: LogField | null;
  readonly wrap: boolean;
  readonly timestamps: TimestampMode;
}

export const defaultLogChoices: LogChoices = {
  levels: null,
  find: '',
  isRegExp: false,
  matchCase: false,
  mode: 'highlight',
  field: null,
  wrap: false,
  timestamps: 'local',
};

export function toLogQuery({
  levels,
  find,
  isRegExp,
  matchCase,
  mode,
  field,
}: Omit<LogChoices, 'wrap' | 'timestamps'>): LogQuery {
  return { levels, pattern: find === '' ? null : { text: find, isRegExp, matchCase }, field, mode };
}
