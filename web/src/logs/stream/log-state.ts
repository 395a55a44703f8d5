import type { PlatformState } from '@portal/contract/logs';
import { formatCount } from '../../format/numbers.ts';
import type { Tone } from '../../ui/tone.ts';
import type { ConnectionPhase } from './log-connection.ts';

/** What determines the state of a log. */
export interface LogStateInput {
  readonly phase: ConnectionPhase;
  readonly platform: PlatformState;
  /** Failed attempts to reach the portal. */
  readonly attempt: number;
  readonly isFollowing: boolean;
  readonly newRecords: number;
  readonly message: string;
}

export type LogState = 'opening' | 'reading' | 'following' | 'paused' | 'interrupted' | 'waiting' | 'stopped';

interface LogStateText {
  readonly state: LogState;
  readonly tone: Tone;
  readonly label: string;
  /** Why an empty log is empty, and what to do. */
  readonly emptyText: string;
  readonly canPlay: boolean;
  readonly canStop: boolean;
  /** For screen readers. Does not change while nothing happens. */
  readonly announcement: string;
}

/** Returns the state that a log is in. Only `following` means that new lines appear. */
export function getLogState({ phase, platform, attempt, isFollowing }: LogStateInput): LogState {
  switch (phase) {
    case 'closed':
      return 'stopped';
    case 'waiting':
      return 'interrupted';
    case 'opening':
      if (platform === 'waiting' || platform === 'reading') return platform;
      return attempt > 0 ? 'interrupted' : 'opening';
    case 'streaming':
      if (platform === 'waiting' || platform === 'reading') return platform;
      if (platform === 'connecting') return 'opening';
      return isFollowing ? 'following' : 'paused';
  }
}

const noRecordsYet = 'No log records yet. New records appear here.';

const texts: Readonly<Record<LogState, readonly [tone: Tone, label: string, emptyText: string]>> = {
  opening: ['primary', 'Opening', 'Opening the stream …'],
  reading: ['primary', 'Reading the last minutes', 'Reading the last minutes …'],
  following: ['success', 'Following', noRecordsYet],
  paused: ['warning', 'Paused', noRecordsYet],
  interrupted: ['danger', 'Interrupted', 'The portal is unreachable. New records appear here once it is back.'],
  waiting: [
    'warning',
    'Waiting for the platform',
    'The platform does not respond. New records appear here once it does.',
  ],
  stopped: ['neutral', 'Stopped', 'No log records. Play opens the stream.'],
};

/**
 * Describes the state of a log for all parts of the screen. `retrySeconds` is the time until the
 * page's next attempt; 0 during the attempt.
 */
export function describeLogState(input: LogStateInput | null, retrySeconds = 0): LogStateText {
  const state = input === null ? 'stopped' : getLogState(input);
  const [tone, label, emptyText] = texts[state];
  const stateLabel = state === 'paused' && input !== null ? `Paused (${formatCount(input.newRecords)} new)` : label;
  return {
    state,
    tone,
    label: state === 'interrupted' ? `${label} (${formatRetry(retrySeconds)})` : stateLabel,
    emptyText,
    canPlay: input !== null && (state === 'stopped' || state === 'interrupted'),
    canStop: input !== null && state !== 'stopped',
    announcement: [`${label}.`, input?.message].filter(Boolean).join(' '),
  };
}

function formatRetry(seconds: number): string {
  return seconds > 0 ? `retry in ${seconds} s` : 'retrying';
}
