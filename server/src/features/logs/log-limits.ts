import { logHeartbeatMs, logStart } from '@portal/contract/logs';
import type { LineFeedLimits } from '@portal/edge/line-feed';
import type { Backoff } from '@portal/kit/backoff';
import type { AppLogLimits } from './app-log.ts';
import type { AppLogsLimits } from './app-logs.ts';

/** All limits and intervals of log streaming. */
export interface LogLimits {
  readonly helloMs: number;
  /** How often a viewer's session and app are checked again. */
  readonly recheckMs: number;
  readonly newViewer: { readonly lines: number; readonly millis: number };
  readonly viewer: LineFeedLimits;
  readonly stream: Omit<AppLogLimits, 'ring'> & {
    readonly ring: { readonly lines: number; readonly chunk: { readonly lines: number; readonly chars: number } };
  };
  readonly streams: AppLogsLimits;
  /** Backoff between attempts to check a viewer's access while the platform is unreachable. */
  readonly authorizeBackoff: Backoff;
}

const mib = 1024 * 1024;

export const defaultLogLimits: LogLimits = {
  helloMs: 10_000,
  recheckMs: 30_000,
  newViewer: { lines: logStart.lines, millis: logStart.minutes * 60_000 },
  viewer: { bufferedBytes: mib, heartbeatMs: logHeartbeatMs, silentHeartbeats: 6 },
  stream: {
    ring: { lines: 100_000, chunk: { lines: 1_000, chars: 128 * 1024 } },
    upstream: {
      backoff: { initialMs: 1_000, maxMs: 30_000 },
      steadyMs: 10_000,
      intake: {
        fill: { lines: 50_000, settleMs: 2_000, pollMs: 200 },
        ids: 50_000,
        overlapMillis: 5_000,
        repeatMs: 10_000,
        rereadMs: 10_000,
      },
    },
    flushMs: 50,
    flushLines: 2_000,
    // A page that lost its connection for less than a minute returns to an open stream.
    lingerMs: 60_000,
    history: { millis: logStart.minutes * 60_000, lines: logStart.lines, maxMillis: 24 * 3_600_000 },
  },
  streams: { idleMs: 120_000, maxIdle: 20, bytes: 256 * mib, ringBytes: { max: 32 * mib, min: 4 * mib } },
  // Shorter than three heartbeats, after which a silent connection would make the viewer reconnect.
  authorizeBackoff: { initialMs: 1_000, maxMs: 10_000 },
};
