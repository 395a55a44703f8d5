import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/**
 * Names under which credentials travel, at the top and one level down; `Secret` guards those in our
 * own objects.
 */
const credentials = [
  'password',
  'userPassword',
  'journeyPassword',
  'credentials',
  'authorization',
  'cookie',
  'token',
  'secret',
  '["set-cookie"]',
];

export interface LoggerOptions {
  /** Which part of the system speaks. */
  readonly name: string;
  /** `LOG_LEVEL` of the environment, or `info`. */
  readonly level?: string;
  /** Standard output when left out. */
  readonly destination?: DestinationStream;
}

/**
 * JSON lines with the time in ISO form and the level as a word. Bind a request's id with
 * `logger.child({ requestId })`.
 */
export function createLogger({ name, level = process.env.LOG_LEVEL ?? 'info', destination }: LoggerOptions): Logger {
  const under = (name: string) => (name.startsWith('[') ? `*${name}` : `*.${name}`);
  return pino(
    {
      name,
      level,
      base: {},
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [...credentials, ...credentials.map(under), 'req.headers.authorization', 'req.headers.cookie'],
        censor: '•••',
      },
    },
    destination ?? pino.destination(1),
  );
}
