import type { LogHello } from '@portal/contract/logs';
import type { ConnectionEvent } from './log-connection.ts';

/** How a log travels: where its socket is, and what is said on it. */
export interface LogWire {
  readonly path: string;
  /** For each socket that is opened anew. */
  begin(hello: LogHello): WireTalk;
}

export interface WireTalk {
  /** The first frame, sent as soon as the socket is open. */
  readonly first: unknown;
  /** What a frame means. */
  read(frame: unknown): readonly ConnectionEvent[];
  /** Whether what closed the socket will do so again: a code and the words that came with it. */
  readClose(code: number, said: string): Extract<ConnectionEvent, { type: 'closed' }>;
}
