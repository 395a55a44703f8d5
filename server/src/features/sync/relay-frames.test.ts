import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { relayFrames } from './relay-frames.ts';
import { requestReply } from './request-reply.ts';

interface Ends {
  /** The far side's socket, and ours. */
  readonly far: WebSocket;
  readonly near: WebSocket;
}

/** A socket pair; `near` is the accepted or the opened end. */
async function connect(near: 'let-in' | 'opened'): Promise<Ends> {
  const server = new WebSocketServer({ port: 0, perMessageDeflate: false });
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opened = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  const isOpen = once(opened, 'open');
  const [letIn] = (await once(server, 'connection')) as [WebSocket];
  if (near === 'opened') return { near: opened, far: letIn };
  await isOpen;
  return { near: letIn, far: opened };
}

const limits = { bufferedBytes: 64 * 1024, heartbeatMs: 60_000, silentHeartbeats: { viewer: 2, service: 2 } };

async function relay(some: Partial<typeof limits> = {}) {
  const [viewer, service] = await Promise.all([connect('let-in'), connect('opened')]);
  relayFrames(viewer.near, service.near, 'first', { ...limits, ...some });
  return { viewer, service };
}

describe('frame relay', () => {
  it('applies backpressure for a viewer that does not read, and loses nothing of what it reads later', async () => {
    const { viewer, service } = await relay();
    const frameBytes = 256 * 1024;
    const frames = 256;
    viewer.far.pause();
    const sent = Array.from({ length: frames }, (_, at) => `${at} ${'x'.repeat(frameBytes)}`);
    for (const frame of sent) service.far.send(frame);
    await vi.waitFor(() => expect(service.near.isPaused).toBe(true), 60_000);
    const received: number[] = [];
    viewer.far.on('message', (data: Buffer) => received.push(Number.parseInt(data.toString('latin1', 0, 8), 10)));
    let maxBuffered = 0;
    service.near.on('message', () => {
      maxBuffered = Math.max(maxBuffered, viewer.near.bufferedAmount);
    });
    const closed = once(viewer.far, 'close');
    service.far.close(4409, 'Integration Disabled');
    viewer.far.resume();
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([4409, 'Integration Disabled']);
    expect(received).toEqual(sent.map((_, at) => at));
    // What a paused socket had already received may follow, but no more.
    expect(maxBuffered).toBeLessThan((frames / 8) * frameBytes);
  });

  it('forwards text as text and bytes as bytes', async () => {
    const { viewer, service } = await relay();
    const received: [string, boolean][] = [];
    viewer.far.on('message', (data, isBinary) => received.push([String(data), isBinary]));
    service.far.send('text ü');
    service.far.send(Buffer.from('bytes'));
    await vi.waitFor(() => expect(received).toHaveLength(2), 60_000);
    expect(received).toEqual([
      ['text ü', false],
      ['bytes', true],
    ]);
  });

  it('ends when the viewer no longer responds, and disconnects from the service', async () => {
    const { viewer, service } = await relay({ heartbeatMs: 20 });
    viewer.far.pause();
    await once(service.far, 'close');
    expect(viewer.near.readyState).not.toBe(WebSocket.OPEN);
  });

  it('ends when the service no longer responds, and asks the viewer to reconnect', async () => {
    const { viewer, service } = await relay({ heartbeatMs: 20, silentHeartbeats: { viewer: Infinity, service: 2 } });
    service.far.pause();
    expect((await once(viewer.far, 'close'))[0]).toBe(1013);
  });
});

describe('request-reply on a socket', () => {
  it('times out when no reply arrives', async () => {
    const { near } = await connect('opened');
    await expect(requestReply(near, '{}', 20)).rejects.toMatchObject({ status: 504 });
  });
});
