import type { App } from '@portal/contract/apps';
import { type BatchFrame, type LogHello, logCloseCodes, logHelloSchema } from '@portal/contract/logs';
import { backoffMs } from '@portal/kit/backoff';
import { Invalid, Unreachable } from '@portal/kit/problems';
import { closeWith } from '../../../http/close-with.ts';
import { readFirstFrame } from '../../../http/first-frame.ts';
import type { SocketCall } from '../../../http/socket.ts';
import type { LogLimits } from '../log-limits.ts';
import type { LogMetrics } from '../log-metrics.ts';
import type { LogStream } from '../log-stream.ts';
import { getOldestMillis, isKnownPosition, resumeAfter, startNewViewer } from '../ring/ring-start.ts';
import { isRefusal, type LogCredentials } from '../upstream/log-source.ts';
import { pause } from '../upstream/pause.ts';
import { LogViewer } from './log-viewer.ts';

export interface LogSessionOptions {
  readonly call: SocketCall;
  readonly limits: LogLimits;
  readonly metrics: LogMetrics;
  readonly credentials: LogCredentials;
  /**
   * Throws what keeps the caller from seeing the app's log; Unreachable when that cannot be told
   * now.
   */
  readonly authorize: (hello: LogHello) => Promise<App>;
  readonly getStream: (app: App) => LogStream;
  /** Calls back when the caller's session ends. Returns how to stop listening. */
  readonly onSessionEnd: (listener: () => void) => () => void;
}

/**
 * One viewer from its first frame to its last: hears what it wants, sees that it may, and lets it
 * watch.
 */
export async function serveLogSession(options: LogSessionOptions): Promise<void> {
  const { call, limits, metrics, credentials, getStream, onSessionEnd } = options;
  const { socket, request, signal } = call;
  const hello = await readFirstFrame(socket, logHelloSchema, { timeoutMs: limits.helloMs, signal });
  socket.on('message', () => closeWith(socket, new Invalid('After the first frame nothing more is taken.')));
  const app = await authorize(options, hello);
  // Of a socket that closed meanwhile nobody hears any more: its viewer would hold the stream for
  // good.
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
    viewer.stop();
  });
  if (!resumesByTime) return;
  await stream.whenCaughtUp(signal);
  start();
}

/** While the platform is away nobody can say whether the viewer may: it waits, and is told so. */
async function authorize({ call, limits, authorize }: LogSessionOptions, hello: LogHello): Promise<App> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await authorize(hello);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const retryMs = backoffMs(attempt, limits.authorizeBackoff);
      const message = `${error.message} Trying again in ${Math.ceil(retryMs / 1000)} s.`;
      const frame: BatchFrame = { type: 'state', state: 'waiting', message, retryMs };
      if (hello.batch) call.socket.send(JSON.stringify(frame));
      await pause(retryMs, call.signal);
    }
  }
}

/** The platform may have taken the app from the viewer since; while it is away, nobody can say. */
async function recheckAccess({ call, authorize }: LogSessionOptions, hello: LogHello): Promise<void> {
  try {
    await authorize(hello);
  } catch (error) {
    if (isRefusal(error)) closeWith(call.socket, error);
  }
}
