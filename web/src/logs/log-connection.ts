import {
  type BatchFrame,
  describeSocketClose,
  type LogHello,
  type LogLine,
  logCloseCodes,
  logHeartbeatMs,
  logTailLines,
  logTexts,
} from '@portal/contract/logs';
import { countOf } from '../lib/format.ts';
import type { MarkerKind } from './log-chunk.ts';
import { describeGap, describeMissing } from './log-gap.ts';
import { tailOf, withoutRepetitions } from './log-tail.ts';

/**
 * The life of the log socket as one function of state and event; it does no I/O.
 *
 *     closed ──play──▶ opening ──hello──▶ streaming
 *        ▲                ▲ │                 │
 *        └──stop, final── │ └──lost──▶ waiting ◀──lost──┘
 *                         └────retry─────┘
 *
 * It never clears the screen: what a reconnect missed becomes a marker between the lines, and lines
 * that come again are left out by their numbers.
 */
export type ConnectionPhase = 'closed' | 'opening' | 'streaming' | 'waiting';

export interface Connection {
  readonly phase: ConnectionPhase;
  /** The feedback line. */
  readonly message: string;
  /**
   * While the portal waits for the platform, or the page for the portal: milliseconds the wait is
   * long.
   */
  readonly waitMs: number | null;
  /** Failed attempts since the last line or beat. */
  readonly attempt: number;
  /** Behind which line the stream goes on; null before the first hello. */
  readonly position: { readonly stream: string; readonly seq: number; readonly millis: number } | null;
  /** The last lines shown, by which the server tells what we have when its numbering is another. */
  readonly tail: readonly LogLine[];
  /** Lines of the tail that may come again: the server's lines begin somewhere among them. */
  readonly mayRepeat: readonly LogLine[];
  /** The server said that lines are missing and has not said which. */
  readonly owesGap: boolean;
}

export const closedConnection: Connection = {
  phase: 'closed',
  message: '',
  waitMs: null,
  attempt: 0,
  position: null,
  tail: [],
  mayRepeat: [],
  owesGap: false,
};

export type ConnectionEvent =
  | { readonly type: 'play' }
  | { readonly type: 'stop' }
  | { readonly type: 'frame'; readonly frame: BatchFrame }
  /** A frame nobody understands. */
  | { readonly type: 'garbled' }
  /**
   * Closed from the other side. `said`: its own words; `isFinal`: there is no point in trying
   * again.
   */
  | { readonly type: 'closed'; readonly code: number; readonly said?: string; readonly isFinal?: boolean }
  /** A line that has no number and does not count. */
  | { readonly type: 'aside'; readonly line: LogLine }
  /** The timer ran out: nothing heard for too long, or time for the next attempt. */
  | { readonly type: 'timer' }
  /** The browser has a network again. */
  | { readonly type: 'online' };

export type ConnectionEffect =
  /** Open a new socket, close any other, and send `hello` when it is open. */
  | { readonly type: 'connect'; readonly hello: LogHello }
  | { readonly type: 'disconnect' }
  /** Replaces the running timer. */
  | { readonly type: 'timer'; readonly ms: number }
  | { readonly type: 'lines'; readonly lines: readonly LogLine[] }
  /** `lines` is how many are missing, null when nobody knows; 0 for a note. */
  | { readonly type: 'marker'; readonly kind: MarkerKind; readonly text: string; readonly lines: number | null };

export interface Step {
  readonly next: Connection;
  readonly effects: readonly ConnectionEffect[];
}

/** Nothing heard for three heartbeats: the socket is dead, whatever it says. */
const silenceMs = 3 * logHeartbeatMs;
const openingMs = 10_000;
const retryBaseMs = 500;
const retryMaxMs = 30_000;

/** Why there is no point in trying again, by private close code. */
const finalReasons: Readonly<Record<number, string>> = {
  [logCloseCodes.notSignedIn]: 'Your session has ended.',
  [logCloseCodes.refused]: 'You may not see the logs of this app.',
  [logCloseCodes.unknownApp]: 'The platform does not list this app for you.',
  [logCloseCodes.badFrame]: 'The portal did not understand this page. Reload it to get its newest version.',
  [logCloseCodes.platformRefused]: 'The platform refuses your credentials. Sign out and in again.',
};

/** `random` is in 0..1 and spreads the attempts of many viewers. */
export function step(state: Connection, event: ConnectionEvent, random: () => number = Math.random): Step {
  switch (event.type) {
    case 'play':
    case 'online':
      if (state.phase === 'waiting') return open(state, state.attempt);
      return event.type === 'play' && state.phase === 'closed' ? open(state, 0) : stay(state);
    case 'timer':
      if (state.phase === 'waiting') return open(state, state.attempt);
      if (state.phase === 'closed') return stay(state);
      return lose(
        state,
        `Nothing heard from the portal for ${(state.phase === 'opening' ? openingMs : silenceMs) / 1000} s.`,
        random,
      );
    case 'stop':
      return state.phase === 'closed' ? stay(state) : end(state, describeSocketClose(1000));
    case 'closed': {
      if (state.phase === 'closed' || state.phase === 'waiting') return stay(state);
      const reason = finalReasons[event.code];
      const said = [describeSocketClose(event.code), event.said || reason].filter(Boolean).join(' ');
      return reason === undefined && !event.isFinal ? lose(state, said, random) : end(state, said);
    }
    case 'garbled':
      if (state.phase === 'closed' || state.phase === 'waiting') return stay(state);
      return end(
        state,
        'The portal sent something this page does not understand. Reload it to get its newest version.',
      );
    case 'aside':
      return { next: state, effects: [{ type: 'lines', lines: [event.line] }] };
    case 'frame':
      return state.phase === 'opening' || state.phase === 'streaming' ? take(state, event.frame) : stay(state);
  }
}

function stay(state: Connection): Step {
  return { next: state, effects: [] };
}

function open(state: Connection, attempt: number): Step {
  // Who has seen no line yet is a newcomer, even one who comes again.
  const after = state.position && state.tail.length > 0 ? { ...state.position, tail: [...state.tail] } : undefined;
  const hello: LogHello = after ? { batch: true, after } : { batch: true };
  return {
    next: { ...state, phase: 'opening', attempt, message: 'Opening the stream.', waitMs: null },
    effects: [
      { type: 'connect', hello },
      { type: 'timer', ms: openingMs },
    ],
  };
}

/** Closed for good, until Play. */
function end(state: Connection, message: string): Step {
  const terminated = state.phase === 'waiting' ? [] : [note(logTexts.terminated)];
  return {
    next: { ...state, phase: 'closed', message, waitMs: null },
    effects: [{ type: 'disconnect' }, ...terminated],
  };
}

/**
 * Closed against our will: full jitter up to a bound that doubles, so that a thousand pages do not
 * come back at once.
 */
function lose(state: Connection, message: string, random: () => number): Step {
  const bound = Math.min(retryMaxMs, retryBaseMs * 2 ** Math.min(state.attempt, 10));
  const waitMs = Math.ceil(random() * bound);
  // Attempts that never got through say nothing new.
  const terminated = state.phase === 'streaming' || state.attempt === 0 ? [note(logTexts.terminated)] : [];
  return {
    next: { ...state, phase: 'waiting', attempt: state.attempt + 1, message, waitMs },
    effects: [{ type: 'disconnect' }, ...terminated, { type: 'timer', ms: waitMs }],
  };
}

function take(state: Connection, frame: BatchFrame): Step {
  const heard: ConnectionEffect = { type: 'timer', ms: silenceMs };
  // Before the hello only states come: the portal waits for the platform.
  if (state.phase === 'opening' && frame.type !== 'hello' && frame.type !== 'state') return stay(state);
  const { next, effects } = read(state, frame);
  return { next, effects: [heard, ...effects] };
}

function read(state: Connection, frame: BatchFrame): Step {
  switch (frame.type) {
    case 'hello':
      return greet(state, frame);
    case 'lines': {
      const { next, effects } = countMissing(state, frame.seq);
      const had = Math.max(0, (next.position?.seq ?? 0) + 1 - frame.seq);
      const numbered = had === 0 ? frame.lines : frame.lines.slice(had);
      const last = numbered.at(-1);
      if (last === undefined) return { next, effects };
      const { lines, mayRepeat } = withoutRepetitions(numbered, next.mayRepeat, next.position?.millis ?? 0);
      const moved = moveTo(next, frame.seq + frame.lines.length, last[0]);
      return {
        next: {
          ...moved,
          mayRepeat,
          attempt: 0,
          tail: tailOf(lines.length < logTailLines ? [...next.tail, ...lines] : lines),
        },
        effects: lines.length === 0 ? effects : [...effects, { type: 'lines', lines }],
      };
    }
    case 'gap':
      return {
        next: { ...moveTo(state, frame.nextSeq), owesGap: false },
        effects: [{ type: 'marker', kind: 'gap', text: describeGap(frame.gap), lines: frame.gap.lines }],
      };
    case 'filled':
      return {
        next: state,
        effects: [note(`${countOf(frame.lines, 'line')} of the time without a stream, from the app's own log table:`)],
      };
    case 'state':
      return { next: { ...state, message: frame.message, waitMs: frame.retryMs }, effects: [] };
    case 'beat':
      return countMissing({ ...state, attempt: 0 }, frame.seq + 1);
  }
}

function greet(state: Connection, hello: Extract<BatchFrame, { type: 'hello' }>): Step {
  const { position } = state;
  const sameNumbering = position?.stream === hello.stream;
  const hadLines = state.tail.length > 0;
  const isGap = hello.resumed === 'gap' || (hello.resumed === 'new' && hadLines);
  const next: Connection = {
    ...state,
    phase: 'streaming',
    message: 'Streaming.',
    waitMs: null,
    position: sameNumbering
      ? position
      : { stream: hello.stream, seq: hello.nextSeq - 1, millis: position?.millis ?? 0 },
    mayRepeat: isGap && !sameNumbering ? state.tail : [],
    owesGap: isGap,
  };
  return { next, effects: hello.resumed === 'nothing-lost' && hadLines ? [note('Reconnected: nothing lost.')] : [] };
}

/**
 * A marker for the numbers before `seq` that never came, or for the gap the server announced and
 * did not describe.
 */
function countMissing(state: Connection, seq: number): Step {
  const missing = seq - ((state.position?.seq ?? seq - 1) + 1);
  if (missing <= 0 && !state.owesGap) return stay(state);
  const lines = missing > 0 ? missing : null;
  const moved = missing > 0 ? moveTo(state, seq) : state;
  return {
    next: { ...moved, owesGap: false },
    effects: [{ type: 'marker', kind: 'gap', text: describeMissing(lines), lines }],
  };
}

function moveTo(state: Connection, nextSeq: number, millis = 0): Connection {
  const { position } = state;
  if (position === null) return state;
  const moved = { seq: Math.max(position.seq, nextSeq - 1), millis: Math.max(position.millis, millis) };
  return { ...state, position: { ...position, ...moved } };
}

function note(text: string): ConnectionEffect {
  return { type: 'marker', kind: 'note', text, lines: 0 };
}
