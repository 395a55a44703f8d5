import type { LogHello, LogLine } from '@portal/contract/logs';
import { toSocketUrl } from '../lib/socket-url.ts';
import type { MarkerKind } from './log-chunk.ts';
import {
  type Connection,
  type ConnectionEffect,
  type ConnectionEvent,
  closedConnection,
  transition,
} from './log-connection.ts';
import type { LogWire, WireSession } from './log-wire.ts';

export interface SocketHooks {
  readonly onLines: (lines: readonly LogLine[]) => void;
  readonly onMarker: (kind: MarkerKind, text: string, lines: number | null) => void;
  readonly onChange: (connection: Connection) => void;
  /** Closed permanently by the server, with its code. */
  readonly onClosed: (code: number) => void;
}

/** Runs the connection's state machine on a real WebSocket and a real timer. */
export class LogSocket {
  readonly #wire: LogWire;
  readonly #hooks: SocketHooks;
  #connection = closedConnection;
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #onOnline = () => this.send({ type: 'online' });

  constructor(wire: LogWire, hooks: SocketHooks) {
    this.#wire = wire;
    this.#hooks = hooks;
    window.addEventListener('online', this.#onOnline);
  }

  get connection(): Connection {
    return this.#connection;
  }

  send(event: ConnectionEvent): void {
    const before = this.#connection;
    const { next, effects } = transition(before, event);
    this.#connection = next;
    for (const effect of effects) this.#run(effect);
    if (next.phase === 'closed' && before.phase !== 'closed') clearTimeout(this.#timer);
    if (next.phase !== before.phase || next.message !== before.message || next.waitMs !== before.waitMs) {
      this.#hooks.onChange(next);
    }
    if (event.type === 'closed' && next.phase === 'closed' && before.phase !== 'closed')
      this.#hooks.onClosed(event.code);
  }

  /** Disconnects without notifying the hooks. */
  dispose(): void {
    window.removeEventListener('online', this.#onOnline);
    this.#disconnect();
    clearTimeout(this.#timer);
  }

  #run(effect: ConnectionEffect): void {
    switch (effect.type) {
      case 'connect':
        this.#disconnect();
        this.#socket = this.#open(effect.hello);
        break;
      case 'disconnect':
        this.#disconnect();
        break;
      case 'timer':
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.send({ type: 'timer' }), effect.ms);
        break;
      case 'lines':
        this.#hooks.onLines(effect.lines);
        break;
      case 'marker':
        this.#hooks.onMarker(effect.kind, effect.text, effect.lines);
        break;
    }
  }

  /** Opens a socket. Events of a replaced socket are ignored. */
  #open(hello: LogHello): WebSocket {
    const session = this.#wire.open(hello);
    const socket = new WebSocket(toSocketUrl(this.#wire.path));
    socket.onopen = () => socket.send(JSON.stringify(session.firstFrame));
    socket.onmessage = (message) => {
      for (const event of readFrame(session, message.data)) if (socket === this.#socket) this.send(event);
    };
    socket.onclose = ({ code, reason }) => {
      if (socket === this.#socket) this.send(session.readClose(code, reason));
    };
    return socket;
  }

  #disconnect(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
  }
}

function readFrame(session: WireSession, data: unknown): readonly ConnectionEvent[] {
  try {
    return session.read(JSON.parse(String(data)));
  } catch {
    return [{ type: 'garbled' }];
  }
}
