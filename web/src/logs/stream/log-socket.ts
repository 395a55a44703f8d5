import type { LogHello, LogLine } from '@portal/contract/logs';
import { connectionState, isPortalReachable } from '../../api/connection.ts';
import { toSocketUrl } from '../../api/socket-url.ts';
import type { MarkerKind } from '../text/log-chunk.ts';
import { type Connection, type ConnectionEffect, type ConnectionEvent, transition } from './log-connection.ts';
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
  #connection: Connection;
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Aborted when the attempt to connect is replaced. */
  #attempt = new AbortController();
  readonly #stopListening: () => void;

  constructor(wire: LogWire, first: Connection, hooks: SocketHooks) {
    this.#wire = wire;
    this.#connection = first;
    this.#hooks = hooks;
    this.#stopListening = listenForReturn(() => this.send({ type: 'online' }));
  }

  get connection(): Connection {
    return this.#connection;
  }

  send(event: ConnectionEvent): void {
    const before = this.#connection;
    const isPageVisible = document.visibilityState === 'visible';
    const { next, effects } = transition(before, event, { random: Math.random, isPageVisible });
    this.#connection = next;
    for (const effect of effects) this.#run(effect);
    if (next.phase === 'closed' && before.phase !== 'closed') clearTimeout(this.#timer);
    const isChanged = (['phase', 'platform', 'message', 'waitMs', 'attempt'] as const).some(
      (key) => next[key] !== before[key],
    );
    if (isChanged) this.#hooks.onChange(next);
    if (event.type === 'closed' && next.phase === 'closed' && before.phase !== 'closed')
      this.#hooks.onClosed(event.code);
  }

  /** Disconnects without notifying the hooks. */
  dispose(): void {
    this.#stopListening();
    this.#disconnect();
    clearTimeout(this.#timer);
  }

  #run(effect: ConnectionEffect): void {
    switch (effect.type) {
      case 'connect':
        this.#disconnect();
        if (this.#connection.attempt === 0) this.#socket = this.#open(effect.hello);
        else void this.#openWhenReachable(effect.hello);
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

  /**
   * Opens a socket if the portal responds to a request. Browsers delay sockets by seconds after
   * many failed ones, but not requests.
   */
  async #openWhenReachable(hello: LogHello): Promise<void> {
    const { signal } = this.#attempt;
    const isReachable = await isPortalReachable(signal);
    if (signal.aborted) return;
    if (isReachable) this.#socket = this.#open(hello);
    else this.send({ type: 'closed', code: 1006 });
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
    this.#attempt.abort();
    this.#attempt = new AbortController();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
  }
}

/** Calls the listener when a lost connection may be back, or someone may be waiting for it. */
function listenForReturn(listener: () => void): () => void {
  const onVisibility = () => document.visibilityState === 'visible' && listener();
  window.addEventListener('online', listener);
  document.addEventListener('visibilitychange', onVisibility);
  const unsubscribe = connectionState.subscribe(() => connectionState.get().since === null && listener());
  return () => {
    window.removeEventListener('online', listener);
    document.removeEventListener('visibilitychange', onVisibility);
    unsubscribe();
  };
}

function readFrame(session: WireSession, data: unknown): readonly ConnectionEvent[] {
  try {
    return session.read(JSON.parse(String(data)));
  } catch {
    return [{ type: 'garbled' }];
  }
}
