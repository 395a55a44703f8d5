import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

export type { Logger };

/**
 * Property names that hold credentials, at the top level and one level down. `Secret` protects our
 * own objects.
 */
const redactedNames = [
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
  /** The component that logs. */
  readonly name: string;
  /** Defaults to `LOG_LEVEL`, or `info`. */
  readonly level?: string;
  /** Defaults to standard output. */
  readonly destination?: DestinationStream;
}

/**
 * Creates a logger that writes JSON lines with ISO times and named levels. Bind a request id with
 * `logger.child({ requestId })`.
 */
export function createLogger({ name, level = process.env.LOG_LEVEL ?? 'info', destination }: LoggerOptions): Logger {
  const toNested = (name: string) => (name.startsWith('[') ? `*${name}` : `*.${name}`);
  return pino(
    {
      name,
      level,
      base: {},
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: toLoggedError },
      redact: {
        paths: [...redactedNames, ...redactedNames.map(toNested), 'req.headers.authorization', 'req.headers.cookie'],
        censor: '•••',
      },
    },
    destination ?? pino.destination(1),
  );
}

/** Properties of PostgreSQL's errors that contain values of rows. */
const rowProperties: ReadonlySet<string> = new Set(['detail', 'where']);

/** Converts an error with its causes, without the rows that PostgreSQL adds to them. */
function toLoggedError(error: unknown): unknown {
  return error instanceof Error ? removeRows(stdSerializers.err(error)) : error;
}

function removeRows(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(removeRows);
  const entries = Object.entries(value).filter(([name]) => !rowProperties.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, removeRows(inner)]));
}
