/** The client for all calls to a Helium platform. */
import { Reachability, type ReachabilityTimes, type Silent } from '../reachability.ts';
import {
  callForJson,
  callForText,
  getPlatformName,
  type HeliumAddress,
  type HeliumCredentials,
  probe,
} from './call.ts';
import { type LogRecord, type LogStreamOptions, streamLogs } from './log-stream.ts';
import {
  type HeliumApp,
  HeliumAppConfig,
  type HeliumAppConfigPatch,
  HeliumAppList,
  type HeliumEventToggle,
  type HeliumScheduledEvent,
  HeliumScheduledEventList,
  HeliumServiceConfig,
  heliumPaths,
} from './wire.ts';

export type { HeliumCredentials } from './call.ts';
export type { LogRecord } from './log-stream.ts';

interface HeliumClientOptions {
  readonly baseUrl: string;
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

interface CallContext {
  readonly credentials: HeliumCredentials;
  readonly signal?: AbortSignal | undefined;
}

export interface AppCallContext extends CallContext {
  readonly appId: string;
}

/**
 * Each call throws `NotSignedIn` for wrong credentials; `Refused`, `NotFound`, or `Invalid` with
 * the platform's own message; `Unreachable` when the response is missing, late, or unreadable; and
 * the signal's reason when the signal aborts it. No call is retried.
 */
export interface HeliumClient {
  readonly baseUrl: string;
  /**
   * Why calls fail at once, with the time of the last answer; undefined while the platform answers.
   * Log streams are opened regardless.
   */
  readonly silence: Silent | undefined;
  /** Returns the apps these credentials can see. */
  listApps(context: CallContext): Promise<HeliumApp[]>;
  getAppConfig(context: AppCallContext): Promise<HeliumAppConfig>;
  /** Returns the platform's own text, which describes the change. */
  patchAppConfig(context: AppCallContext & { readonly patch: HeliumAppConfigPatch }): Promise<string>;
  listScheduledEvents(context: AppCallContext): Promise<HeliumScheduledEvent[]>;
  toggleScheduledEvent(context: AppCallContext & HeliumEventToggle): Promise<string>;
  getServiceConfig(context: CallContext): Promise<HeliumServiceConfig>;
  /**
   * Yields batches of records until the signal aborts it or a problem occurs. See `log-stream.ts`.
   */
  streamLogs(context: AppCallContext & Pick<LogStreamOptions, 'onOpen'>): AsyncIterable<LogRecord[]>;
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
    listApps: (context) => callForJson(address, { ...context, path: heliumPaths.apps }, HeliumAppList),
    getAppConfig: ({ appId, ...context }) =>
      callForJson(address, { ...context, path: heliumPaths.appConfig(appId) }, HeliumAppConfig),
    patchAppConfig: ({ appId, patch, ...context }) =>
      callForText(address, { ...context, path: heliumPaths.appConfig(appId), body: patch }),
    listScheduledEvents: ({ appId, ...context }) =>
      callForJson(address, { ...context, path: heliumPaths.scheduledEvents(appId) }, HeliumScheduledEventList),
    toggleScheduledEvent: ({ appId, scheduledEvent, state, ...context }) =>
      callForText(address, { ...context, path: heliumPaths.scheduledEvents(appId), body: { scheduledEvent, state } }),
    getServiceConfig: (context) =>
      callForJson(address, { ...context, path: heliumPaths.serviceConfig }, HeliumServiceConfig),
    streamLogs: (context) => streamLogs({ ...context, address, heartbeatMs }),
    close: () => reachability.stop(),
  };
}
