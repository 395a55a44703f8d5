import type { LogHello } from '@portal/contract/logs';
import type { ConnectionEvent } from './log-connection.ts';

/** The protocol of a log socket: its address and its frames. */
export interface LogWire {
  readonly path: string;
  /** Identifies the log within a session. */
  readonly key: string;
  /** Says above the first line what the log starts with, and where older lines are. */
  readonly startNote?: string;
  /** Starts a session for each new socket. */
  open(hello: LogHello): WireSession;
}

export interface WireSession {
  /** The first frame, sent as soon as the socket is open. */
  readonly firstFrame: unknown;
  /** Converts a frame into events. */
  read(frame: unknown): readonly ConnectionEvent[];
  /**
   * Converts a close code and its reason into an event that states whether reconnecting is
   * pointless.
   */
  readClose(code: number, reason: string): Extract<ConnectionEvent, { type: 'closed' }>;
}
