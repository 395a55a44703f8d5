/** Makes one HTTP call for a file, and checks that the whole file arrived. */
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { describeConnectionFailure } from '../connection-failure.ts';
import type { SendRequest } from './call.ts';
import { fileHostsSetting, InternalAddress } from './file-hosts.ts';
import { JourneyProblem } from './journey-problem.ts';
import { parseRetryAfterMs } from './retry-after.ts';
import { journeyErrors } from './wire.ts';

export interface FileCall {
  readonly url: URL;
  /** The subject of messages, such as "Journey run-us.journeyapps.com". */
  readonly name: string;
  /** Absent for other hosts than Journey's. */
  readonly authorization?: string;
  readonly request: SendRequest;
  /** Ends the call when less than a kilobyte per second arrives in this time. */
  readonly maxSilenceMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export type FileResponse =
  /** A redirect; as it was sent. */
  | { readonly location: string | undefined }
  | {
      readonly headers: IncomingHttpHeaders;
      readonly bytes: Buffer;
      /**
       * Whether the end of the connection was also the end of the body, so that it may be cut off.
       */
      readonly endsWithConnection: boolean;
    };

/** A sender that is slower, such as one that sends a byte a second, counts as silent. */
const minBytesPerSecond = 1_024;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Throws the signal's reason when `signal` aborts the call, otherwise a `JourneyProblem` that
 * concerns only this file.
 */
export async function downloadFile(call: FileCall): Promise<FileResponse> {
  const { url, name, authorization, request, maxSilenceMs, signal } = call;
  signal?.throwIfAborted();
  const end = new AbortController();
  const giveUp = () => end.abort();
  signal?.addEventListener('abort', giveUp, { once: true });
  let isSilent = false;
  const silence = setTimeout(() => {
    isSilent = true;
    end.abort();
  }, maxSilenceMs);
  let received = 0;
  const onBytes = (size: number) => {
    received += size;
    if (received < (minBytesPerSecond * maxSilenceMs) / 1000) return;
    received = 0;
    silence.refresh();
  };
  try {
    const { statusCode, headers, body } = await request(url, {
      method: 'GET',
      headers: { accept: '*/*', 'accept-encoding': 'gzip', ...(authorization !== undefined && { authorization }) },
      signal: end.signal,
    });
    silence.refresh();
    const location = getText(headers.location);
    // A short body is read, so that the connection stays open.
    if (statusCode !== 200) await body.dump({ limit: 16_384 });
    if (redirects.has(statusCode)) return { location };
    if (statusCode !== 200) throw createStatusProblem(name, statusCode, headers);
    const encoding = getText(headers['content-encoding'])?.trim().toLowerCase() || 'identity';
    if (encoding !== 'identity' && encoding !== 'gzip')
      throw createFileProblem(`${name} sent the file with the encoding ${encoding}, which the portal did not ask for.`);
    const isGzip = encoding === 'gzip';
    const bytes = await readBytes(call, isGzip ? decompress(body) : body, onBytes);
    const isDelimited = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    // The compressed format has an end and a check sum of its own.
    return { headers, bytes, endsWithConnection: !isDelimited && !isGzip };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (isSilent) {
      const what = received === 0 ? 'nothing for' : `only ${received} bytes within`;
      throw createFileProblem(`${name} sent ${what} ${maxSilenceMs / 1000} s during a download.`);
    }
    if (error instanceof JourneyProblem) throw error;
    throw createConnectionProblem(name, error);
  } finally {
    // Closes the connection unless the body was read to its end.
    end.abort();
    clearTimeout(silence);
    signal?.removeEventListener('abort', giveUp);
  }
}

async function readBytes(
  { name, maxBytes }: FileCall,
  body: Readable,
  onBytes: (size: number) => void,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    onBytes(chunk.length);
    size += chunk.length;
    // Leaving the loop closes the connection; the rest is never read.
    if (size > maxBytes) {
      const message = `${name} sent a file of more than ${maxBytes} bytes, which is the limit.`;
      throw new JourneyProblem(message, { kind: 'too-large', what: 'response' });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The reader receives all errors and stops everything by leaving its loop. */
function decompress(body: Readable): Readable {
  return pipeline(body, createGunzip(), () => undefined);
}

/** @param message one sentence about this file only */
export function createFileProblem(message: string, retryAfterMs?: number): JourneyProblem {
  return new JourneyProblem(message, { kind: 'file-failed', retryAfterMs });
}

/** A file whose address the configuration does not allow. */
export function createAddressProblem(message: string): JourneyProblem {
  return new JourneyProblem(message, { kind: 'invalid-request', type: journeyErrors.invalidRequest });
}

/** What a status says about the deployment or its credentials is for other calls to find out. */
function createStatusProblem(name: string, status: number, headers: IncomingHttpHeaders): JourneyProblem {
  if (status === 404 || status === 410) {
    const message = `${name} does not have this file (status ${status}).`;
    return new JourneyProblem(message, { kind: 'not-found', type: journeyErrors.objectNotFound });
  }
  const retryAfter = getText(headers['retry-after']);
  const retryAfterMs =
    retryAfter === undefined ? undefined : parseRetryAfterMs(new Headers({ 'retry-after': retryAfter }));
  const reason =
    status === 401 || status === 403
      ? 'does not permit the download of this file'
      : status >= 200 && status <= 299
        ? 'responded to the download of a file without the complete file'
        : 'failed to send this file';
  return createFileProblem(`${name} ${reason} (status ${status}).`, retryAfterMs);
}

function createConnectionProblem(name: string, cause: unknown): JourneyProblem {
  for (let error = cause; error instanceof Error; error = error.cause) {
    if (error instanceof InternalAddress)
      return createAddressProblem(
        `${name} has the internal address ${error.message}, which the setting ${fileHostsSetting} does not list.`,
      );
  }
  return createFileProblem(
    `${name} lost the connection during the download of a file: ${describeConnectionFailure(cause)}.`,
  );
}

/** Returns the first of several values. */
export function getText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
