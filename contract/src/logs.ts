import * as z from 'zod/mini';
import { credentialsSchema } from './apps.ts';
import { light } from './rules.ts';
import { socket } from './socket.ts';

/** One line on the wire: [millis, key, value]. */
const logLineSchema = z.tuple([z.number(), z.string(), z.string()]);
export type LogLine = z.infer<typeof logLineSchema>;

/**
 * How many of its last lines a viewer may send when it resumes, and the maximum length of each
 * value.
 */
export const logTailLines = 40;
export const logTailChars = 100;

const tailLineSchema = z.tuple([
  z.number(),
  z.string().check(z.maxLength(1000)),
  z.string().check(z.maxLength(logTailChars)),
]);

/**
 * The first frame that a viewer sends. The specified form is `{baseUrl, credentials}`, and each
 * response frame is one `{millis, key, value}`. A viewer that sends `batch: true` gets the frames
 * of `batchFrameSchema` instead: line batches, states, gaps and heartbeats. `after` resumes behind
 * that position, as far as the server still has the lines. Without it, a new viewer gets the last
 * minutes from the ring buffer.
 */
export const logHelloSchema = z.object({
  baseUrl: z.optional(z.string().check(z.maxLength(500))),
  credentials: z.optional(credentialsSchema),
  batch: z.optional(z.boolean()),
  after: z.optional(
    z.object({
      /**
       * Identifies the numbering of `seq`. It changes when the server restarts or another node
       * takes over.
       */
      stream: z.string().check(z.maxLength(100)),
      seq: z.number(),
      /**
       * Time of the viewer's last line, used to fill a gap by time when the numbering has changed.
       */
      millis: z.number(),
      /**
       * The viewer's last lines, newest last, with values cut to `logTailChars`. They let the
       * server resume without a duplicate or a loss where times are equal. Without them, the server
       * assumes that the viewer has all lines with exactly this `millis`.
       */
      tail: z.optional(z.array(tailLineSchema).check(z.maxLength(logTailLines))),
    }),
  ),
});
export type LogHello = z.infer<typeof logHelloSchema>;

/** The log socket of an app: `WebSocket /portal-backend/ws/{appId}`. */
export const logSocket = socket({
  paths: ['/portal-backend/ws/:appId'],
  summary: 'Stream the log of an app',
  frame: logHelloSchema,
  rules: { hello: { may: 'logs.view', about: { app: 'appId' }, recorded: false, cost: light() } },
});

export const logMessageSchema = z.object({ millis: z.number(), key: z.string(), value: z.string() });
export type LogMessage = z.infer<typeof logMessageSchema>;

/** Why lines are missing. `lines` is null if their number is unknown. */
const logGapSchema = z.object({
  reason: z.enum(['platform', 'slow-viewer', 'ring', 'restart']),
  lines: z.nullable(z.number()),
  fromMillis: z.nullable(z.number()),
  toMillis: z.nullable(z.number()),
});
export type LogGap = z.infer<typeof logGapSchema>;

export const batchFrameSchema = z.discriminatedUnion('type', [
  /**
   * Announces the numbering and whether everything after `after` is still available. Only `state`
   * frames may precede it, while the server cannot yet check the viewer's access to the app.
   */
  z.object({
    type: z.literal('hello'),
    stream: z.string(),
    /** The number of the first line in the next `lines` frame. */
    nextSeq: z.number(),
    resumed: z.enum(['new', 'nothing-lost', 'gap']),
  }),
  /** Consecutive lines; the first has number `seq`. */
  z.object({ type: z.literal('lines'), seq: z.number(), lines: z.array(logLineSchema) }),
  /**
   * Lines that are lost: numbered ones (slow viewer, ring) or unnumbered ones (platform, restart).
   * Every gap moves the viewer to `nextSeq`; to resume after it, send `seq: nextSeq - 1`.
   */
  z.object({ type: z.literal('gap'), gap: logGapSchema, nextSeq: z.number() }),
  /**
   * Announces that the next `lines` lines come from `__logging_log__` and cover an interruption of
   * the platform's stream. They are numbered like all others.
   */
  z.object({ type: z.literal('filled'), lines: z.number() }),
  z.object({
    type: z.literal('state'),
    /**
     * `reading`: the platform's stream is open, and its lines are held until the lines from before
     * it are read from the log table. `waiting`: the platform does not respond.
     */
    state: z.enum(['connecting', 'reading', 'streaming', 'waiting']),
    /** Text for the connection status line. */
    message: z.string(),
    /** Milliseconds until the next attempt, when waiting. */
    retryMs: z.nullable(z.number()),
  }),
  /**
   * Sent every few seconds with the last sent number. A viewer that misses three heartbeats
   * reconnects.
   */
  z.object({ type: z.literal('beat'), seq: z.number() }),
]);
export type BatchFrame = z.infer<typeof batchFrameSchema>;
/** The state of the platform's stream. */
export type PlatformState = Extract<BatchFrame, { type: 'state' }>['state'];

export const logHeartbeatMs = 5000;

/** The lines from before it that a new viewer gets: those of the last minutes, up to a number. */
export const logStart = { minutes: 5, lines: 5_000 } as const;

/** Close codes of the log socket. */
export const logCloseCodes = {
  /** The session has ended. An upgrade without any credentials is refused with 401 instead. */
  notSignedIn: 4401,
  refused: 4403,
  unknownApp: 4404,
  badFrame: 4400,
  /** The user has as many sockets as a user may have. */
  tooMany: 4429,
  /** The platform rejected the credentials. */
  platformRefused: 4502,
  /** The server is shutting down; reconnect soon. */
  goingAway: 1001,
  /** An internal error of the portal. */
  bug: 1011,
  /** A part of the portal is temporarily unavailable; reconnect soon. */
  tryLater: 1013,
} as const;

export const logTexts = {
  terminated: 'Terminate - Connection to portal backend closed.',
  closed: (code: number) => `Socket closed with code ${code}.`,
  abnormal:
    'The connection was closed abnormally: it was lost without a closing message, because of a network failure or because the server stopped.',
} as const;

/** Returns the specified sentence, with an explanation for code 1006. */
export function describeSocketClose(code: number): string {
  return code === 1006 ? `${logTexts.closed(code)} ${logTexts.abnormal}` : logTexts.closed(code);
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warning' | 'severe' | 'error';

/** Returns the level of a platform key. A key that is not the name of a level names an error. */
export function getLogLevel(key: string): LogLevel {
  switch (key.toUpperCase()) {
    case 'TRACE':
    case 'FINER':
    case 'FINEST':
      return 'trace';
    case 'DEBUG':
    case 'FINE':
      return 'debug';
    case 'INFO':
      return 'info';
    case 'WARNING':
    case 'WARN':
      return 'warning';
    case 'SEVERE':
      return 'severe';
    default:
      return 'error';
  }
}
