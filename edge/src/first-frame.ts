import { parseBoundedJson } from '@portal/kit/bounded-json';
import { Invalid } from '@portal/kit/problems';
import type { WebSocket } from 'ws';
import type * as z from 'zod/mini';
import { readPayload } from './read-payload.ts';
import { closeWith } from './sockets.ts';

export interface FirstFrameOptions {
  readonly timeoutMs: number;
  /** False if the frame's texts may contain characters that PostgreSQL cannot store. */
  readonly isStored?: boolean;
  /** Top-level fields that are accepted although the schema does not have them. */
  readonly beyond?: readonly string[];
  /** Aborted when the socket closes. */
  readonly signal: AbortSignal;
}

/**
 * Reads the only frame that a viewer may send. Throws Invalid if it does not match the contract, is
 * too deep or wide, or arrives late, and the signal's reason if the socket closes first. Must be
 * called in the same tick in which the socket opens.
 */
export function readFirstFrame<T>(
  socket: WebSocket,
  schema: z.ZodMiniType<T>,
  { timeoutMs, isStored = true, beyond = [], signal }: FirstFrameOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onTimeout = () => reject(new Invalid(`No frame was received within ${timeoutMs / 1000} s.`));
    const timer = setTimeout(onTimeout, timeoutMs);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    socket.once('message', (data, isBinary) => {
      clearTimeout(timer);
      // Already closed because the frame is too large.
      if (socket.readyState !== socket.OPEN) return;
      // Further frames would need their own authorization, and no client sends any.
      socket.on('message', () => closeWith(socket, new Invalid('Only one frame may be sent.')));
      try {
        if (isBinary) throw new Invalid('The first frame must be text.');
        resolve(parse(schema, data.toString(), isStored, beyond));
      } catch (error) {
        reject(error);
      }
    });
    socket.once('close', () => clearTimeout(timer));
  });
}

function parse<T>(schema: z.ZodMiniType<T>, text: string, isStored: boolean, beyond: readonly string[]): T {
  const sent = parseBoundedJson(text, 'The first frame', { isStored });
  if (typeof sent !== 'object' || sent === null) throw new Invalid('The first frame must be an object.');
  return readPayload(schema, sent, beyond);
}
