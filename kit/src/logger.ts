import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { hideAddresses, hideCredentialsInJson } from './hide-addresses.ts';

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
 * `logger.child({ requestId })`. No line has the credentials of an address; errors and messages
 * have only its host.
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
      hooks: {
        logMethod(args, log) {
          hideInMessage(args);
          log.apply(this, args);
        },
        streamWrite: hideCredentialsInJson,
      },
      redact: {
        paths: [...redactedNames, ...redactedNames.map(toNested), 'req.headers.authorization', 'req.headers.cookie'],
        censor: '•••',
      },
    },
    destination ?? pino.destination(1),
  );
}

/** A line without a message of its own would get the one of its error. */
function hideInMessage(args: unknown[]): void {
  const [subject] = args;
  const error = typeof subject === 'object' && subject !== null && 'err' in subject ? subject.err : subject;
  if (args.length === 1 && error instanceof Error) args.push(error.message);
  for (const [index, each] of args.entries()) if (typeof each === 'string') args[index] = hideAddresses(each);
}

/**
 * Properties of PostgreSQL's errors that contain values of rows, and of Node.js's that contain an
 * address as it was written.
 */
const secretProperties: ReadonlySet<string> = new Set(['detail', 'where', 'input']);

/** Converts an error with its causes, without rows and secrets. */
function toLoggedError(error: unknown): unknown {
  return error instanceof Error ? removeSecrets(stdSerializers.err(error)) : error;
}

function removeSecrets(value: unknown): unknown {
  if (typeof value === 'string') return hideAddresses(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(removeSecrets);
  const entries = Object.entries(value).filter(([name]) => !secretProperties.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, removeSecrets(inner)]));
}
