import * as z from 'zod/mini';
import { credentialsSchema } from './apps.ts';

/** The log socket of an app: `WebSocket /portal-backend/ws/{appId}`. */
export const logSocketPath = '/portal-backend/ws/:appId';

/** One line on the wire: [millis, key, value]. */
const logLineSchema = z.tuple([z.number(), z.string(), z.string()]);
export type LogLine = z.infer<typeof logLineSchema>;

/** How many of its last lines a viewer may tell of when it resumes, and how much of each value. */
export const logTailLines = 40;
export const logTailChars = 100;

/**
 * The first frame a viewer sends. As specified it is `{baseUrl, credentials}` and every answer
 * frame is one `{millis, key, value}`. A viewer that sends `batch: true` gets the frames of
 * `batchFrameSchema` instead: many lines a frame, states, gaps, heartbeats. `after` resumes: the
 * lines behind that position, as far as the server still has them; without it a newcomer gets what
 * the ring holds of the last minutes.
 */
export const logHelloSchema = z.object({
  baseUrl: z.optional(z.string().check(z.maxLength(500))),
  credentials: z.optional(credentialsSchema),
  batch: z.optional(z.boolean()),
  after: z.optional(
    z.object({
      /**
       * Which numbering `seq` belongs to; another one means the server was restarted or is another
       * node.
       */
      stream: z.string().check(z.maxLength(100)),
      seq: z.number(),
      /**
       * Time of the last line the viewer has, for filling by time when the numbering is another.
       */
      millis: z.number(),
      /**
       * The viewer's last lines, newest last, values cut to `logTailChars`: with them not one line
       * comes twice or gets lost where only time can tell. Without, lines that bear exactly
       * `millis` are taken as had.
       */
      tail: z.optional(z.array(logLineSchema).check(z.maxLength(logTailLines))),
    }),
  ),
});
export type LogHello = z.infer<typeof logHelloSchema>;

export const logMessageSchema = z.object({ millis: z.number(), key: z.string(), value: z.string() });
export type LogMessage = z.infer<typeof logMessageSchema>;

/** Why lines are not there: `lines` is null where nobody can know how many. */
const logGapSchema = z.object({
  reason: z.enum(['platform', 'slow-viewer', 'ring', 'restart']),
  lines: z.nullable(z.number()),
  fromMillis: z.nullable(z.number()),
  toMillis: z.nullable(z.number()),
});
export type LogGap = z.infer<typeof logGapSchema>;

export const batchFrameSchema = z.discriminatedUnion('type', [
  /**
   * The numbering, and whether everything behind `after` is still there. States may come before it,
   * while the platform cannot be asked whether the viewer may see the app; everything else comes
   * after.
   */
  z.object({
    type: z.literal('hello'),
    stream: z.string(),
    /** The number the next line frame starts with. */
    nextSeq: z.number(),
    resumed: z.enum(['new', 'nothing-lost', 'gap']),
  }),
  /** Consecutive lines; the first has number `seq`. */
  z.object({ type: z.literal('lines'), seq: z.number(), lines: z.array(logLineSchema) }),
  /**
   * Lines that will never come: either numbered ones (slow viewer, ring) or unnumbered (platform,
   * restart). Every gap moves the viewer to `nextSeq`; to resume behind it, tell `seq: nextSeq -
   * 1`.
   */
  z.object({ type: z.literal('gap'), gap: logGapSchema, nextSeq: z.number() }),
  /**
   * The next `lines` lines are from `__logging_log__`, for a time the platform's stream was away;
   * numbered like others.
   */
  z.object({ type: z.literal('filled'), lines: z.number() }),
  z.object({
    type: z.literal('state'),
    state: z.enum(['connecting', 'streaming', 'waiting']),
    /** In words, for the feedback line. */
    message: z.string(),
    /** Milliseconds until the next attempt, when waiting. */
    retryMs: z.nullable(z.number()),
  }),
  /**
   * Every few seconds: the last number sent; a viewer that hears nothing for three of them
   * reconnects.
   */
  z.object({ type: z.literal('beat'), seq: z.number() }),
]);
export type BatchFrame = z.infer<typeof batchFrameSchema>;

export const logHeartbeatMs = 5000;

/** Private close codes of the log socket. */
export const logCloseCodes = {
  /** The session ended or never was. */
  notSignedIn: 4401,
  refused: 4403,
  unknownApp: 4404,
  badFrame: 4400,
  tooMany: 4429,
  /** The platform refuses these credentials. */
  platformRefused: 4502,
  /** The server goes down; come back soon. */
  goingAway: 1001,
  /** Something went wrong in the portal. */
  bug: 1011,
  /** A part of the portal is away for the moment; come back soon. */
  tryLater: 1013,
} as const;

export const logTexts = {
  terminated: 'Terminate - Connection to portal backend closed.',
  closed: (code: number) => `Socket closed with code ${code}.`,
  abnormal:
    'The connection was closed abnormally: it was lost without a closing message, by the network or because the server went away.',
} as const;

/** The specified sentence, with the explanation that code 1006 gets. */
export function describeSocketClose(code: number): string {
  return code === 1006 ? `${logTexts.closed(code)} ${logTexts.abnormal}` : logTexts.closed(code);
}

export type LogLevel = 'info' | 'warning' | 'severe' | 'error';

/**
 * The level a platform key belongs to: INFO, WARNING, SEVERE are levels; every other key names an
 * error.
 */
export function getLogLevel(key: string): LogLevel {
  switch (key.toUpperCase()) {
    case 'INFO':
    case 'DEBUG':
    case 'TRACE':
    case 'FINE':
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
