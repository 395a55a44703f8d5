/** The client for all calls to a Helium platform. */
import { Reachability, type ReachabilityTimes, type Silent } from '../reachability.ts';
import { type Administration, type AppCallContext, type CallContext, createAdministration } from './administration.ts';
import { callForJson, getPlatformName, type HeliumAddress, probe } from './call.ts';
import { defaultDialect, type HeliumDialect } from './dialect/dialect.config.ts';
import { UnreadableResponse } from './dialect/fields.ts';
import { type ReadLogOptions, readLog } from './read-log.ts';
import type { HeliumLogLine } from './read-log-frame.ts';
import { HeliumServiceConfig, heliumPaths } from './wire.ts';

export type { AppCallContext, ChangeRight } from './administration.ts';
export type { HeliumCredentials } from './call.ts';
export type { AppConfigReading } from './dialect/app-config.ts';
export type { ListReading } from './dialect/fields.ts';
export type { HeliumLogLine } from './read-log-frame.ts';

interface HeliumClientOptions {
  readonly baseUrl: string;
  /** How this installation spells its calls. Default: the simulator's way. */
  readonly dialect?: HeliumDialect;
  /** The limit for each call's whole response and for opening a socket. Default: 10 s. */
  readonly timeoutMs?: number;
  /** Default: 16 MiB. */
  readonly maxResponseBytes?: number;
  /** How often an open log stream is pinged. Default: 15 s. */
  readonly heartbeatMs?: number;
  /** The IANA zone of times in messages. Default: UTC. */
  readonly timeZone?: string;
  readonly reachability?: ReachabilityTimes;
}

const maxProbeMs = 5_000;

/**
 * Each call throws `NotSignedIn` for wrong credentials; `Refused`, `NotFound`, or `Invalid` with
 * the platform's own message; `Unreachable` when the response is missing, late, or unreadable; and
 * the signal's reason when the signal aborts it. No call is retried.
 */
export interface HeliumClient extends Administration {
  readonly baseUrl: string;
  /**
   * Why calls fail at once, with the time of the last answer; undefined while the platform answers.
   * Log streams are opened regardless.
   */
  readonly silence: Silent | undefined;
  getServiceConfig(context: CallContext): Promise<HeliumServiceConfig>;
  /**
   * Yields batches of records until the signal aborts it or a problem occurs. See `read-log.ts`.
   */
  readLog(context: AppCallContext & Pick<ReadLogOptions, 'onOpen'>): AsyncIterable<HeliumLogLine[]>;
  /** Ends the probing of a silent platform. */
  close(): void;
}

export function createHeliumClient(options: HeliumClientOptions): HeliumClient {
  const { baseUrl, heartbeatMs = 15_000, timeoutMs = 10_000, timeZone } = options;
  const reachability = new Reachability({
    ...options.reachability,
    name: getPlatformName({ baseUrl }),
    timeZone,
    probe: () => probe({ baseUrl, timeoutMs: Math.min(timeoutMs, maxProbeMs) }),
  });
  const address: HeliumAddress = {
    baseUrl,
    timeoutMs,
    maxResponseBytes: options.maxResponseBytes ?? 16 * 1024 * 1024,
    reachability,
  };
  return {
    baseUrl,
    get silence() {
      return reachability.silence;
    },
    ...createAdministration(address, options.dialect ?? defaultDialect),
    getServiceConfig: (context) =>
      callForJson(address, { ...context, path: heliumPaths.serviceConfig }, readServiceConfig),
    readLog: (context) => readLog({ ...context, address, heartbeatMs }),
    close: () => reachability.stop(),
  };
}

function readServiceConfig(document: unknown): HeliumServiceConfig {
  const { data, error } = HeliumServiceConfig.safeParse(document);
  if (data) return data;
  const [issue] = error.issues;
  throw new UnreadableResponse(`${issue?.path.join('.') || 'response'}: ${issue?.message ?? 'unknown shape'}`);
}
