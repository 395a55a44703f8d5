import { Invalid } from '@portal/kit/problems';
import type { RawData, WebSocket } from 'ws';
import type * as z from 'zod/mini';
import { readPayload } from './read-payload.ts';

export interface FirstFrameOptions {
  readonly timeoutMs: number;
  /** Aborted when the socket closes. */
  readonly signal: AbortSignal;
}

/**
 * Reads a viewer's first frame. Throws Invalid if it does not match the contract or arrives late,
 * and the signal's reason if the socket closes first. Must be called in the same tick in which the
 * socket opens.
 */
export function readFirstFrame<T>(
  socket: WebSocket,
  schema: z.ZodMiniType<T>,
  { timeoutMs, signal }: FirstFrameOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onTimeout = () => reject(new Invalid(`No frame was received within ${timeoutMs / 1000} s.`));
    const timer = setTimeout(onTimeout, timeoutMs);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    socket.once('message', (data, isBinary) => {
      clearTimeout(timer);
      // Already closed because the frame is too large.
      if (socket.readyState !== socket.OPEN) return;
      try {
        resolve(parse(schema, data, isBinary));
      } catch (error) {
        reject(error);
      }
    });
    socket.once('close', () => clearTimeout(timer));
  });
}

function parse<T>(schema: z.ZodMiniType<T>, data: RawData, isBinary: boolean): T {
  if (isBinary) throw new Invalid('The first frame must be text.');
  let sent: unknown;
  try {
    sent = JSON.parse(data.toString());
  } catch {
    throw new Invalid('The first frame is not valid JSON.');
  }
  if (typeof sent !== 'object' || sent === null) throw new Invalid('The first frame must be an object.');
  return readPayload(schema, sent);
}
