import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connection } from '../../api/connection.ts';
import { closedConnection } from './log-connection.ts';
import { LogSocket } from './log-socket.ts';
import type { LogWire } from './log-wire.ts';

/** A socket whose portal accepts it, unless the portal is down. */
class FakeSocket {
  static isPortalDown = false;
  static sockets: FakeSocket[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: ((close: { code: number; reason: string }) => void) | null = null;

  constructor() {
    FakeSocket.sockets.push(this);
    queueMicrotask(() => (FakeSocket.isPortalDown ? this.cut() : this.onopen?.()));
  }

  send(): void {
    this.onmessage?.({ data: JSON.stringify({ type: 'hello', stream: 'a', nextSeq: 1, resumed: 'new' }) });
  }

  close(): void {}

  cut(): void {
    this.onclose?.({ code: 1006, reason: '' });
  }

  static cutAll(): void {
    FakeSocket.isPortalDown = true;
    for (const socket of FakeSocket.sockets) socket.cut();
  }
}

const wire: LogWire = {
  path: '/ws',
  key: 'app a',
  open: (hello) => ({
    firstFrame: hello,
    read: () => [{ type: 'frame', frame: { type: 'hello', stream: 'a', nextSeq: 1, resumed: 'new' } }],
    readClose: (code) => ({ type: 'closed', code }),
  }),
};

let visibility: DocumentVisibilityState;
let page: EventTarget;
let socket: LogSocket;

beforeEach(async () => {
  vi.useFakeTimers();
  visibility = 'visible';
  page = new EventTarget();
  vi.stubGlobal('window', Object.assign(new EventTarget(), { location: { origin: 'https://portal.example.org' } }));
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('fetch', () =>
    FakeSocket.isPortalDown ? Promise.reject(new Error('The portal is down.')) : Promise.resolve(new Response()),
  );
  vi.stubGlobal('document', {
    get visibilityState() {
      return visibility;
    },
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
  });
  FakeSocket.isPortalDown = false;
  FakeSocket.sockets = [];
  const ignore = () => undefined;
  socket = new LogSocket(wire, closedConnection, {
    onLines: ignore,
    onMarker: ignore,
    onChange: ignore,
    onClosed: ignore,
  });
  socket.send({ type: 'play' });
  await vi.advanceTimersByTimeAsync(0);
  expect(socket.connection.phase).toBe('streaming');
});
afterEach(() => {
  socket.dispose();
  connection.markAlive();
  vi.unstubAllGlobals();
  // Every file of this worker would have the same random number.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('log socket after an outage', () => {
  it('streams within 2 s after the portal responds again, while the page is visible', async () => {
    FakeSocket.cutAll();
    await vi.advanceTimersByTimeAsync(45_000);
    expect(socket.connection.phase).not.toBe('streaming');
    // Browsers delay sockets after many failed ones.
    expect(FakeSocket.sockets).toHaveLength(1);
    FakeSocket.isPortalDown = false;
    await vi.advanceTimersByTimeAsync(1_900);
    expect(socket.connection.phase).toBe('streaming');
  });

  it('streams at once when another part of the page reaches the portal', async () => {
    visibility = 'hidden';
    vi.spyOn(Math, 'random').mockReturnValue(1);
    FakeSocket.cutAll();
    connection.markLost();
    await vi.advanceTimersByTimeAsync(45_000);
    expect(socket.connection.phase).toBe('waiting');
    FakeSocket.isPortalDown = false;
    connection.markAlive();
    await vi.advanceTimersByTimeAsync(0);
    expect(socket.connection.phase).toBe('streaming');
  });

  it('streams at once when a hidden page becomes visible', async () => {
    visibility = 'hidden';
    vi.spyOn(Math, 'random').mockReturnValue(1);
    FakeSocket.cutAll();
    await vi.advanceTimersByTimeAsync(45_000);
    FakeSocket.isPortalDown = false;
    visibility = 'visible';
    page.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(0);
    expect(socket.connection.phase).toBe('streaming');
  });
});
