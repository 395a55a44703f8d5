/** The one client through which the portal speaks with a Helium platform. */
import { callForJson, callForText, type HeliumAddress, type HeliumCredentials } from './call.ts';
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
  /** For each call's whole answer, and for a socket to open; 10 s when left out. */
  readonly timeoutMs?: number;
  /** 16 MiB when left out. */
  readonly maxAnswerBytes?: number;
  /** How often an open log stream proves that it lives; 15 s when left out. */
  readonly heartbeatMs?: number;
}

interface As {
  readonly credentials: HeliumCredentials;
  readonly signal?: AbortSignal | undefined;
}

export interface AsForApp extends As {
  readonly appId: string;
}

/**
 * Each call throws `NotSignedIn` for wrong credentials, `Refused`, `NotFound` or `Invalid` with the
 * platform's own words, `Unreachable` when there is no answer, a late one or one that cannot be
 * understood, and the signal's reason when that ended it. Nothing is tried twice.
 */
export interface HeliumClient {
  readonly baseUrl: string;
  /** The apps these credentials may see. */
  listApps(as: As): Promise<HeliumApp[]>;
  getAppConfig(as: AsForApp): Promise<HeliumAppConfig>;
  /** Answers the platform's own text, which says what changed. */
  patchAppConfig(as: AsForApp & { readonly patch: HeliumAppConfigPatch }): Promise<string>;
  listScheduledEvents(as: AsForApp): Promise<HeliumScheduledEvent[]>;
  toggleScheduledEvent(as: AsForApp & HeliumEventToggle): Promise<string>;
  getServiceConfig(as: As): Promise<HeliumServiceConfig>;
  /** See `log-stream.ts`: batches of records until the signal ends it, or a problem does. */
  streamLogs(as: AsForApp & Pick<LogStreamOptions, 'onOpen'>): AsyncIterable<LogRecord[]>;
}

export function createHeliumClient(options: HeliumClientOptions): HeliumClient {
  const { baseUrl, heartbeatMs = 15_000 } = options;
  const address: HeliumAddress = {
    baseUrl,
    timeoutMs: options.timeoutMs ?? 10_000,
    maxAnswerBytes: options.maxAnswerBytes ?? 16 * 1024 * 1024,
  };
  return {
    baseUrl,
    listApps: (as) => callForJson(address, { ...as, path: heliumPaths.apps }, HeliumAppList),
    getAppConfig: ({ appId, ...as }) =>
      callForJson(address, { ...as, path: heliumPaths.appConfig(appId) }, HeliumAppConfig),
    patchAppConfig: ({ appId, patch, ...as }) =>
      callForText(address, { ...as, path: heliumPaths.appConfig(appId), body: patch }),
    listScheduledEvents: ({ appId, ...as }) =>
      callForJson(address, { ...as, path: heliumPaths.scheduledEvents(appId) }, HeliumScheduledEventList),
    toggleScheduledEvent: ({ appId, scheduledEvent, state, ...as }) =>
      callForText(address, { ...as, path: heliumPaths.scheduledEvents(appId), body: { scheduledEvent, state } }),
    getServiceConfig: (as) => callForJson(address, { ...as, path: heliumPaths.serviceConfig }, HeliumServiceConfig),
    streamLogs: (as) => streamLogs({ ...as, address, heartbeatMs }),
  };
}
