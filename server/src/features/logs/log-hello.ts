import { type LogHello, logHelloSchema } from '@portal/contract/logs';
import { Invalid } from '@portal/kit/problems';
import type { RawData, WebSocket } from 'ws';
import { readPayload } from '../../http/read-payload.ts';

/**
 * The viewer's first frame. Throws Invalid when it is not as the contract has it, or does not come in time; the reason
 * of the signal when the socket closes before. Must be called in the turn the socket opens in.
 */
export function readHello(socket: WebSocket, timeoutMs: number, signal: AbortSignal): Promise<LogHello> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Invalid(`No first frame came within ${timeoutMs / 1000} s.`));
    const timer = setTimeout(late, timeoutMs);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    socket.once('message', (data, isBinary) => {
      clearTimeout(timer);
      try {
        resolve(parseHello(data, isBinary));
      } catch (error) {
        reject(error);
      }
    });
    socket.once('close', () => clearTimeout(timer));
  });
}

function parseHello(data: RawData, isBinary: boolean): LogHello {
  if (isBinary) throw new Invalid('The first frame must be text.');
  let sent: unknown;
  try {
    sent = JSON.parse(data.toString());
  } catch {
    throw new Invalid('The first frame is not valid JSON.');
  }
  if (typeof sent !== 'object' || sent === null) throw new Invalid('The first frame must be an object.');
  return readPayload(logHelloSchema, sent);
}
