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
 * What a viewer says first. Throws Invalid when it is not as the contract has it, or does not come
 * in time; the reason of the signal when the socket closes before. Must be called in the turn the
 * socket opens in.
 */
export function readFirstFrame<T>(
  socket: WebSocket,
  schema: z.ZodMiniType<T>,
  { timeoutMs, signal }: FirstFrameOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onTimeout = () => reject(new Invalid(`No first frame came within ${timeoutMs / 1000} s.`));
    const timer = setTimeout(onTimeout, timeoutMs);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    socket.once('message', (data, isBinary) => {
      clearTimeout(timer);
      // Closed already for being too large: nothing in it counts.
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
