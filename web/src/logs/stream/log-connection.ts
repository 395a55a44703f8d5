import {
  type BatchFrame,
  describeSocketClose,
  type LogHello,
  type LogLine,
  logCloseCodes,
  logHeartbeatMs,
  logTailLines,
  logTexts,
  type PlatformState,
} from '@portal/contract/logs';
import { formatPlural } from '../../format/numbers.ts';
import type { MarkerKind } from '../text/log-chunk.ts';
import { describeGap, describeMissing } from './log-gap.ts';
import { removeRepeats, toTail } from './log-tail.ts';

/**
 * The lifecycle of the log socket as one function of state and event, without I/O.
 *
 *     closed ──play──▶ opening ──hello──▶ streaming
 *        ▲                ▲ │                 │
 *        └──stop, final── │ └──lost──▶ waiting ◀──lost──┘
 *                         └────retry─────┘
 *
 * The screen is never cleared: lines missed during a reconnect become a marker between the lines,
 * and repeated lines are skipped by their numbers.
 */
export type ConnectionPhase = 'closed' | 'opening' | 'streaming' | 'waiting';

export interface Connection {
  readonly phase: ConnectionPhase;
  /** The portal's connection to the platform, as far as known. */
  readonly platform: PlatformState;
  /** The status message. */
  readonly message: string;
  /**
   * The length of the current wait in milliseconds: the portal's for the platform, or the page's
   * for the portal.
   */
  readonly waitMs: number | null;
  /** Failed attempts since the last line or heartbeat. */
  readonly attempt: number;
  /** The last received line, after which the stream resumes; null before the first hello. */
  readonly position: { readonly stream: string; readonly seq: number; readonly millis: number } | null;
  /** The last lines shown. The server uses them to find our position when its numbering changed. */
  readonly tail: readonly LogLine[];
  /** Lines of the tail that the server may send again. */
  readonly possibleRepeats: readonly LogLine[];
  /** The server announced missing lines but has not described the gap yet. */
  readonly hasPendingGap: boolean;
}

export const closedConnection: Connection = {
  phase: 'closed',
  platform: 'connecting',
  message: '',
  waitMs: null,
  attempt: 0,
  position: null,
  tail: [],
  possibleRepeats: [],
  hasPendingGap: false,
};

export type ConnectionEvent =
  | { readonly type: 'play' }
  | { readonly type: 'stop' }
  | { readonly type: 'frame'; readonly frame: BatchFrame }
  /** A frame that could not be parsed. */
  | { readonly type: 'garbled' }
  /**
   * Closed by the server. `reason` is its own message; `isFinal` means that reconnecting is
   * pointless.
   */
  | { readonly type: 'closed'; readonly code: number; readonly reason?: string; readonly isFinal?: boolean }
  /** A line without a number, which does not count. */
  | { readonly type: 'unnumbered'; readonly line: LogLine }
  /** The timer expired: silence for too long, or time for the next attempt. */
  | { readonly type: 'timer' }
  /** The browser is online, the portal responds, or the page is visible again. */
  | { readonly type: 'online' };

export type ConnectionEffect =
  /** Open a new socket, close any other one, and send `hello` once it is open. */
  | { readonly type: 'connect'; readonly hello: LogHello }
  | { readonly type: 'disconnect' }
  /** Replaces the running timer. */
  | { readonly type: 'timer'; readonly ms: number }
  | { readonly type: 'lines'; readonly lines: readonly LogLine[] }
  /** `lines` is the number of missing lines, null if unknown, 0 for a note. */
  | { readonly type: 'marker'; readonly kind: MarkerKind; readonly text: string; readonly lines: number | null };

export interface Transition {
  readonly next: Connection;
  readonly effects: readonly ConnectionEffect[];
}

/** The connection counts as lost after three missed heartbeats. */
const silenceTimeoutMs = 3 * logHeartbeatMs;
const openTimeoutMs = 10_000;
const retryBaseMs = 500;
/** Someone may be waiting for a visible page: it is back within 2 s, including the connection. */
const visibleRetryMaxMs = 1_500;
const hiddenRetryMaxMs = 30_000;

export interface RetryOptions {
  /** Returns a number in 0..1 that spreads the retries of many viewers. */
  readonly random: () => number;
  readonly isPageVisible: boolean;
}

/** Close codes after which reconnecting is pointless, with the reason. */
const finalReasons: Readonly<Record<number, string>> = {
  [logCloseCodes.notSignedIn]: 'Your session has ended.',
  [logCloseCodes.refused]: 'You do not have access to the logs of this app.',
  [logCloseCodes.unknownApp]: 'The platform does not list this app for your credentials.',
  [logCloseCodes.badFrame]: 'The portal did not understand this page. Reload it to get the latest version.',
  [logCloseCodes.platformRefused]: 'The platform rejected your credentials. Sign out and sign in again.',
};

/** Returns the next state and the effects of an event. */
export function transition(state: Connection, event: ConnectionEvent, retry: RetryOptions): Transition {
  switch (event.type) {
    case 'play':
    case 'online':
      if (state.phase === 'waiting') return connect(state, state.attempt);
      return event.type === 'play' && state.phase === 'closed' ? connect(state, 0) : unchanged(state);
    case 'timer':
      if (state.phase === 'waiting') return connect(state, state.attempt);
      if (state.phase === 'closed') return unchanged(state);
      return scheduleRetry(
        state,
        `No data from the portal for ${(state.phase === 'opening' ? openTimeoutMs : silenceTimeoutMs) / 1000} s.`,
        retry,
      );
    case 'stop':
      return state.phase === 'closed' ? unchanged(state) : close(state, describeSocketClose(1000));
    case 'closed': {
      if (state.phase === 'closed' || state.phase === 'waiting') return unchanged(state);
      const finalReason = finalReasons[event.code];
      const message = [describeSocketClose(event.code), event.reason || finalReason].filter(Boolean).join(' ');
      return finalReason === undefined && !event.isFinal ? scheduleRetry(state, message, retry) : close(state, message);
    }
    case 'garbled':
      if (state.phase === 'closed' || state.phase === 'waiting') return unchanged(state);
      return close(
        state,
        'The portal sent something this page does not understand. Reload it to get the latest version.',
      );
    case 'unnumbered':
      return { next: state, effects: [{ type: 'lines', lines: [event.line] }] };
    case 'frame':
      return state.phase === 'opening' || state.phase === 'streaming'
        ? handleFrame(state, event.frame)
        : unchanged(state);
  }
}

function unchanged(state: Connection): Transition {
  return { next: state, effects: [] };
}

function connect(state: Connection, attempt: number): Transition {
  // A viewer that has not received a line yet does not resume.
  const after = state.position && state.tail.length > 0 ? { ...state.position, tail: [...state.tail] } : undefined;
  const hello: LogHello = after ? { batch: true, after } : { batch: true };
  return {
    next: {
      ...state,
      phase: 'opening',
      platform: 'connecting',
      attempt,
      // While the portal is unreachable, the reason stays readable between the attempts.
      message: attempt === 0 ? 'Opening the stream …' : state.message,
      waitMs: null,
    },
    effects: [
      { type: 'connect', hello },
      { type: 'timer', ms: openTimeoutMs },
    ],
  };
}

/** Closes the connection until Play is pressed. */
function close(state: Connection, message: string): Transition {
  const terminated = state.phase === 'waiting' ? [] : [createNote(logTexts.terminated)];
  return {
    next: { ...state, phase: 'closed', message, waitMs: null },
    effects: [{ type: 'disconnect' }, ...terminated],
  };
}

/**
 * Schedules a retry with full jitter and an exponential limit, so that many pages do not reconnect
 * at once.
 */
function scheduleRetry(state: Connection, message: string, { random, isPageVisible }: RetryOptions): Transition {
  const maxMs = isPageVisible ? visibleRetryMaxMs : hiddenRetryMaxMs;
  const bound = Math.min(maxMs, retryBaseMs * 2 ** Math.min(state.attempt, 10));
  const waitMs = Math.ceil(random() * bound);
  // Failed retries add no further note.
  const terminated = state.phase === 'streaming' || state.attempt === 0 ? [createNote(logTexts.terminated)] : [];
  return {
    next: { ...state, phase: 'waiting', attempt: state.attempt + 1, message, waitMs },
    effects: [{ type: 'disconnect' }, ...terminated, { type: 'timer', ms: waitMs }],
  };
}

function handleFrame(state: Connection, frame: BatchFrame): Transition {
  const resetTimer: ConnectionEffect = { type: 'timer', ms: silenceTimeoutMs };
  // Only state frames arrive before the hello, while the portal waits for the platform.
  if (state.phase === 'opening' && frame.type !== 'hello' && frame.type !== 'state') return unchanged(state);
  const { next, effects } = applyFrame(state, frame);
  return { next, effects: [resetTimer, ...effects] };
}

function applyFrame(state: Connection, frame: BatchFrame): Transition {
  switch (frame.type) {
    case 'hello':
      return handleHello(state, frame);
    case 'lines': {
      const { next, effects } = markMissing(state, frame.seq);
      const alreadyReceived = Math.max(0, (next.position?.seq ?? 0) + 1 - frame.seq);
      const newLines = alreadyReceived === 0 ? frame.lines : frame.lines.slice(alreadyReceived);
      const last = newLines.at(-1);
      if (last === undefined) return { next, effects };
      const { lines, possibleRepeats } = removeRepeats(newLines, next.possibleRepeats, next.position?.millis ?? 0);
      const advanced = advanceTo(next, frame.seq + frame.lines.length, last[0]);
      return {
        next: {
          ...advanced,
          possibleRepeats,
          attempt: 0,
          tail: toTail(lines.length < logTailLines ? [...next.tail, ...lines] : lines),
        },
        effects: lines.length === 0 ? effects : [...effects, { type: 'lines', lines }],
      };
    }
    case 'gap':
      return {
        next: { ...advanceTo(state, frame.nextSeq), hasPendingGap: false },
        effects: [{ type: 'marker', kind: 'gap', text: describeGap(frame.gap), lines: frame.gap.lines }],
      };
    case 'filled':
      return {
        next: state,
        effects: [createNote(`Recovered ${formatPlural(frame.lines, 'line')} from the app's log table:`)],
      };
    case 'state':
      return { next: { ...state, platform: frame.state, message: frame.message, waitMs: frame.retryMs }, effects: [] };
    case 'beat':
      return markMissing({ ...state, attempt: 0 }, frame.seq + 1);
  }
}

function handleHello(state: Connection, hello: Extract<BatchFrame, { type: 'hello' }>): Transition {
  const { position } = state;
  const isSameStream = position?.stream === hello.stream;
  const hasLines = state.tail.length > 0;
  const isGap = hello.resumed === 'gap' || (hello.resumed === 'new' && hasLines);
  const next: Connection = {
    ...state,
    phase: 'streaming',
    position: isSameStream ? position : { stream: hello.stream, seq: hello.nextSeq - 1, millis: position?.millis ?? 0 },
    possibleRepeats: isGap && !isSameStream ? state.tail : [],
    hasPendingGap: isGap,
  };
  return {
    next,
    effects: hello.resumed === 'nothing-lost' && hasLines ? [createNote('Reconnected: nothing lost.')] : [],
  };
}

/**
 * Adds a marker for missing numbers before `seq`, or for a gap the server announced but did not
 * describe.
 */
function markMissing(state: Connection, seq: number): Transition {
  const missing = seq - ((state.position?.seq ?? seq - 1) + 1);
  if (missing <= 0 && !state.hasPendingGap) return unchanged(state);
  const lines = missing > 0 ? missing : null;
  const advanced = missing > 0 ? advanceTo(state, seq) : state;
  return {
    next: { ...advanced, hasPendingGap: false },
    effects: [{ type: 'marker', kind: 'gap', text: describeMissing(lines), lines }],
  };
}

function advanceTo(state: Connection, nextSeq: number, millis = 0): Connection {
  const { position } = state;
  if (position === null) return state;
  const advanced = { seq: Math.max(position.seq, nextSeq - 1), millis: Math.max(position.millis, millis) };
  return { ...state, position: { ...position, ...advanced } };
}

function createNote(text: string): ConnectionEffect {
  return { type: 'marker', kind: 'note', text, lines: 0 };
}
