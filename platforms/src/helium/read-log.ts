/**
 * Streams an app's live log as an async iterable; each iteration yields the records that arrived
 * since the last one. The socket is not read while the consumer is busy, so a slow consumer slows
 * down the platform instead of filling memory. Unanswered pings reveal a dead connection.
 */
import { type Problem, Unreachable } from '@portal/kit/problems';
import { WebSocket } from 'ws';
import { describeConnectionFailure } from '../connection-failure.ts';
import { findProxy } from '../outgoing/find-proxy.ts';
import { createTunnelAgent } from '../outgoing/open-tunnel.ts';
import {
  getPlatformName,
  type HeliumAddress,
  type HeliumCredentials,
  toAuthorization,
  toStatusProblem,
} from './call.ts';
import { type HeliumLogLine, readLogFrame } from './read-log-frame.ts';
import { heliumPaths } from './wire.ts';

const maxWaitingBytes = 8 * 1024 * 1024;
const maxRecordBytes = 32 * 1024 * 1024;

export interface ReadLogOptions {
  readonly address: HeliumAddress;
  readonly appId: string;
  readonly credentials: HeliumCredentials;
  readonly heartbeatMs: number;
  /** Ends the stream without an error. */
  readonly signal?: AbortSignal | undefined;
  /** Runs when the platform accepts the connection; the first record may come much later. */
  readonly onOpen?: (() => void) | undefined;
}

/**
 * Opens on the first iteration. Ends when the signal is aborted; otherwise throws `NotSignedIn`,
 * `Refused`, or `NotFound` from the platform's response, or `Unreachable` when the connection
 * cannot be opened, closes, or falls silent. A frame that is not a record is yielded as a line of
 * its own: one bad line of an app must not end its log.
 */
export async function* readLog(options: ReadLogOptions): AsyncGenerator<HeliumLogLine[], void, undefined> {
  if (options.signal?.aborted) return;
  const { address, appId, credentials } = options;
  const url = new URL(address.baseUrl.replace(/\/+$/, '') + heliumPaths.logging);
  url.protocol = url.protocol.replace('http', 'ws');
  url.searchParams.set('appId', appId);
  const proxy = findProxy(url.href);
  const socket = new WebSocket(url, {
    headers: { authorization: toAuthorization(credentials) },
    perMessageDeflate: false,
    // Invalid UTF-8 would close the stream; it is shown with replacement characters instead.
    skipUTF8Validation: true,
    handshakeTimeout: address.timeoutMs,
    maxPayload: maxRecordBytes,
    ...(proxy && { agent: createTunnelAgent(proxy, url.href) }),
  });
  const inbox = receive(socket, options);
  try {
    for (let batch = await inbox.take(); batch !== undefined; batch = await inbox.take()) yield batch;
  } finally {
    inbox.close();
  }
}

interface Inbox {
  /**
   * Resolves with all waiting records as soon as there are any; undefined when the stream ends
   * without an error.
   */
  take(): Promise<HeliumLogLine[] | undefined>;
  close(): void;
}

function receive(socket: WebSocket, { address, heartbeatMs, signal, onOpen }: ReadLogOptions): Inbox {
  let waiting: HeliumLogLine[] = [];
  let waitingBytes = 0;
  let wake: () => void = () => undefined;
  let end: { problem?: Problem } | undefined;
  let heard = true;

  const finish = (problem?: Problem) => {
    end ??= problem === undefined ? {} : { problem };
    clearInterval(heartbeat);
    signal?.removeEventListener('abort', onAbort);
    wake();
  };
  const fail = (message: string, cause?: unknown) =>
    finish(new Unreachable(`${getPlatformName(address)} ${message}.`, { cause }));
  // Reports the error immediately, even if no batch is read any more.
  const onAbort = () => close();
  const close = () => {
    finish();
    socket.terminate();
  };

  const heartbeat = setInterval(() => {
    // While reading is paused, pongs cannot be received either.
    if (socket.readyState !== WebSocket.OPEN || socket.isPaused) return;
    if (!heard) {
      fail(`has been silent for ${(2 * heartbeatMs) / 1000} s on an open log stream`);
      socket.terminate();
      return;
    }
    heard = false;
    socket.ping();
  }, heartbeatMs);
  signal?.addEventListener('abort', onAbort, { once: true });

  socket.on('open', () => onOpen?.());
  socket.on('message', (data) => {
    heard = true;
    const record = readLogFrame(data.toString());
    waiting.push(record);
    waitingBytes += record.value.length;
    if (waitingBytes > maxWaitingBytes) socket.pause();
    wake();
  });
  for (const sign of ['ping', 'pong'] as const) {
    socket.on(sign, () => {
      heard = true;
    });
  }
  socket.on('unexpected-response', (request, response) => {
    finish(toStatusProblem(address, 'the log stream', response.statusCode ?? 0));
    request.destroy();
  });
  socket.on('error', (problem) =>
    fail(`cannot be reached for the log stream: ${describeConnectionFailure(problem)}`, problem),
  );
  socket.on('close', (code) => fail(`closed the log stream (code ${code})`));

  return {
    async take() {
      if (waiting.length === 0 && end === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (end !== undefined && end.problem === undefined) return undefined;
      const batch = waiting;
      if (batch.length === 0)
        throw end?.problem ?? new Unreachable(`${getPlatformName(address)} closed the log stream.`);
      waiting = [];
      waitingBytes = 0;
      if (socket.isPaused) {
        heard = true;
        socket.resume();
      }
      return batch;
    },
    close,
  };
}
