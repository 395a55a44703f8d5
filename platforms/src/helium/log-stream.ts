/**
 * An app's live log as an async iterable: each turn gives what has arrived since the last one.
 * While nobody takes batches the socket is not read, so that a slow consumer holds the platform
 * back instead of filling this memory. A connection that died without a word is noticed by pings
 * that stay unanswered.
 */
import { type Problem, Unreachable } from '@portal/kit/problems';
import { type RawData, WebSocket } from 'ws';
import { describeConnectionFailure } from '../connection-failure.ts';
import { authorizationOf, type HeliumAddress, type HeliumCredentials, nameOf, problemOfStatus } from './call.ts';
import { type HeliumLogRecord, heliumPaths } from './wire.ts';

/** The part of a record that is relied upon. */
export type LogRecord = Pick<HeliumLogRecord, 'id' | 'key' | 'value' | 'millis'>;

const waitingMaxBytes = 8 * 1024 * 1024;
const recordMaxBytes = 32 * 1024 * 1024;

export interface LogStreamOptions {
  readonly address: HeliumAddress;
  readonly appId: string;
  readonly credentials: HeliumCredentials;
  readonly heartbeatMs: number;
  /** Ends the stream without a problem. */
  readonly signal?: AbortSignal | undefined;
  /** The platform has accepted the connection; records may be long in coming. */
  readonly onOpen?: (() => void) | undefined;
}

/**
 * Opens with the first turn. Ends when the signal is aborted; otherwise only by throwing:
 * `NotSignedIn`, `Refused`, `NotFound` from the platform's answer, `Unreachable` when the
 * connection cannot be made, closes, falls silent or brings something that is no log record.
 */
export async function* streamLogs(options: LogStreamOptions): AsyncGenerator<LogRecord[], void, undefined> {
  if (options.signal?.aborted) return;
  const { address, appId, credentials } = options;
  const url = new URL(address.baseUrl.replace(/\/+$/, '') + heliumPaths.logging);
  url.protocol = url.protocol.replace('http', 'ws');
  url.searchParams.set('appId', appId);
  const socket = new WebSocket(url, {
    headers: { authorization: authorizationOf(credentials) },
    perMessageDeflate: false,
    handshakeTimeout: address.timeoutMs,
    maxPayload: recordMaxBytes,
  });
  const inbox = receive(socket, options);
  try {
    for (let batch = await inbox.take(); batch !== undefined; batch = await inbox.take()) yield batch;
  } finally {
    inbox.close();
  }
}

interface Inbox {
  /** All that waits, as soon as there is something; undefined at the quiet end. */
  take(): Promise<LogRecord[] | undefined>;
  close(): void;
}

function receive(socket: WebSocket, { address, heartbeatMs, signal, onOpen }: LogStreamOptions): Inbox {
  let waiting: LogRecord[] = [];
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
  const fail = (words: string, cause?: unknown) => finish(new Unreachable(`${nameOf(address)} ${words}.`, { cause }));
  // At once, even if nobody ever takes another batch.
  const onAbort = () => close();
  const close = () => {
    finish();
    socket.terminate();
  };

  const heartbeat = setInterval(() => {
    // Whoever does not read cannot hear an answer either.
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
    const record = recordOf(data);
    if (record === undefined) {
      fail('sent something that is not a log record');
      socket.terminate();
      return;
    }
    waiting.push(record);
    waitingBytes += record.value.length;
    if (waitingBytes > waitingMaxBytes) socket.pause();
    wake();
  });
  for (const sign of ['ping', 'pong'] as const) {
    socket.on(sign, () => {
      heard = true;
    });
  }
  socket.on('unexpected-response', (request, response) => {
    finish(problemOfStatus(address, 'the log stream', response.statusCode ?? 0));
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
      if (batch.length === 0) throw end?.problem ?? new Unreachable(`${nameOf(address)} closed the log stream.`);
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

/** Checked by hand: tens of thousands of these arrive in a second. */
function recordOf(data: RawData): LogRecord | undefined {
  let record: unknown;
  try {
    record = JSON.parse(data.toString());
  } catch {
    return undefined;
  }
  return isRecord(record) ? record : undefined;
}

function isRecord(value: unknown): value is LogRecord {
  if (typeof value !== 'object' || value === null) return false;
  const record: Partial<Record<keyof LogRecord, unknown>> = value;
  return (
    typeof record.id === 'string' &&
    typeof record.key === 'string' &&
    typeof record.value === 'string' &&
    typeof record.millis === 'number'
  );
}
