import type { App } from '@portal/contract/apps';
import { type BatchFrame, type LogHello, logCloseCodes, logHelloSchema } from '@portal/contract/logs';
import { readFirstFrame } from '@portal/edge/first-frame';
import { closeWith } from '@portal/edge/sockets';
import { backoffMs } from '@portal/kit/backoff';
import { Problem, Unreachable } from '@portal/kit/problems';
import type { SocketCall } from '../../../http/socket.ts';
import type { AppLog } from '../app-log.ts';
import type { LogLimits } from '../log-limits.ts';
import type { LogMetrics } from '../log-metrics.ts';
import { getOldestMillis, isKnownPosition, resumeAfter, startNewViewer } from '../ring/ring-start.ts';
import type { LogCredentials } from '../upstream/log-source.ts';
import { pause } from '../upstream/pause.ts';
import { LogViewer } from './log-viewer.ts';

export interface LogSessionOptions {
  readonly call: SocketCall;
  readonly limits: LogLimits;
  readonly metrics: LogMetrics;
  readonly credentials: LogCredentials;
  /**
   * Throws if the caller may not see the app's log; throws Unreachable if that cannot be determined
   * now.
   */
  readonly authorize: (hello: LogHello) => Promise<App>;
  readonly getStream: (app: App) => AppLog;
  /**
   * Registers a listener for the end of the caller's session. Returns a function that removes it.
   */
  readonly onSessionEnd: (listener: () => void) => () => void;
}

/** Serves one viewer: reads its first frame, authorizes it, and streams to it until it closes. */
export async function serveLogSession(options: LogSessionOptions): Promise<void> {
  const { call, limits, metrics, credentials, getStream, onSessionEnd } = options;
  const { socket, request, signal } = call;
  // The viewer may have cut a line in the middle of a character.
  const hello = await readFirstFrame(socket, logHelloSchema, { timeoutMs: limits.helloMs, isStored: false, signal });
  const app = await authorize(options, hello);
  // A socket that closed in the meantime emits no more events; its viewer would hold the stream
  // forever.
  signal.throwIfAborted();

  const stream = getStream(app);
  const viewer = new LogViewer({
    socket,
    wire: request.raw.socket,
    stream,
    credentials,
    batch: hello.batch ?? false,
    limits: limits.viewer,
    metrics,
    onRefused: (problem) => closeWith(socket, problem),
  });
  const { after } = hello;
  const resumesByTime = after !== undefined && !isKnownPosition(stream.ring, after);
  const start = () =>
    viewer.start(after === undefined ? startNewViewer(stream.ring, limits.newViewer) : resumeAfter(stream.ring, after));
  if (resumesByTime) stream.requestHistorySince(getOldestMillis(after) - 1);
  else start();
  const unsubscribe = stream.subscribe(viewer);
  const stopListening = onSessionEnd(() => unsubscribe({ endNow: true }));
  const recheck = setInterval(() => void recheckAccess(options, hello), limits.recheckMs);
  socket.once('close', (code) => {
    clearInterval(recheck);
    stopListening();
    unsubscribe({ endNow: code === logCloseCodes.notSignedIn });
  });
  if (!resumesByTime) return;
  await stream.whenCaughtUp(signal);
  start();
}

/** Waits with backoff while the platform is unreachable, and reports that to the viewer. */
async function authorize({ call, limits, authorize }: LogSessionOptions, hello: LogHello): Promise<App> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await authorize(hello);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const retryMs = backoffMs(attempt, limits.authorizeBackoff);
      const message = `${error.message} Retrying in ${Math.ceil(retryMs / 1000)} s.`;
      const frame: BatchFrame = { type: 'state', state: 'waiting', message, retryMs };
      if (hello.batch) call.socket.send(JSON.stringify(frame));
      await pause(retryMs, call.signal);
    }
  }
}

/**
 * Closes the socket if the viewer has lost access to the app, or if the platform has been
 * unavailable for so long that the last app list is too old.
 */
async function recheckAccess({ call, authorize }: LogSessionOptions, hello: LogHello): Promise<void> {
  try {
    await authorize(hello);
  } catch (error) {
    if (error instanceof Problem) closeWith(call.socket, error);
  }
}
