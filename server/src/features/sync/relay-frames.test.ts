import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { relayFrames } from './relay-frames.ts';
import { requestReply } from './request-reply.ts';

interface Ends {
  /** That of the far side, and ours. */
  readonly far: WebSocket;
  readonly near: WebSocket;
}

/** A socket with both its ends; `near` is the one that was let in, or the one that was opened. */
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

describe('a relay', () => {
  it('does not fill the memory for a viewer that takes nothing, and loses nothing of what it takes later', async () => {
    const { viewer, service } = await relay();
    const frameBytes = 256 * 1024;
    const frames = 256;
    viewer.far.pause();
    const sent = Array.from({ length: frames }, (_, at) => `${at} ${'x'.repeat(frameBytes)}`);
    for (const frame of sent) service.far.send(frame);
    await vi.waitFor(() => expect(service.near.isPaused).toBe(true), 20_000);
    const heard: number[] = [];
    viewer.far.on('message', (data: Buffer) => heard.push(Number.parseInt(data.toString('latin1', 0, 8), 10)));
    let most = 0;
    service.near.on('message', () => {
      most = Math.max(most, viewer.near.bufferedAmount);
    });
    const closed = once(viewer.far, 'close');
    service.far.close(4409, 'Integration Disabled');
    viewer.far.resume();
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([4409, 'Integration Disabled']);
    expect(heard).toEqual(sent.map((_, at) => at));
    // What a paused socket had in hand already may follow, and no more.
    expect(most).toBeLessThan((frames / 8) * frameBytes);
  });

  it('passes on texts as texts and bytes as bytes', async () => {
    const { viewer, service } = await relay();
    const heard: [string, boolean][] = [];
    viewer.far.on('message', (data, isBinary) => heard.push([String(data), isBinary]));
    service.far.send('text ü');
    service.far.send(Buffer.from('bytes'));
    await vi.waitFor(() => expect(heard).toHaveLength(2), 20_000);
    expect(heard).toEqual([
      ['text ü', false],
      ['bytes', true],
    ]);
  });

  it('ends with a viewer that answers nothing any more, and leaves the service', async () => {
    const { viewer, service } = await relay({ heartbeatMs: 20 });
    viewer.far.pause();
    await once(service.far, 'close');
    expect(viewer.near.readyState).not.toBe(WebSocket.OPEN);
  });

  it('ends with a service that answers nothing any more, and tells the viewer to come back', async () => {
    const { viewer, service } = await relay({ heartbeatMs: 20 });
    service.far.pause();
    expect((await once(viewer.far, 'close'))[0]).toBe(1013);
  });
});

describe('one question', () => {
  it('has an end when no reply comes', async () => {
    const { near } = await connect('opened');
    await expect(requestReply(near, '{}', 20)).rejects.toMatchObject({ status: 504 });
  });
});
