/** Opens a connection through a proxy, for WebSockets, which `fetch` and undici do not make. */
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { OutgoingProxy } from './find-proxy.ts';

/** The proxy answered and does not let the connection through. */
class TunnelRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`Proxy response (${status}) to CONNECT`);
    this.status = status;
  }
}

/**
 * Returns a connection to a host and port, on which nothing has been sent yet. Rejects with
 * TunnelRefused, or with why the proxy cannot be reached.
 */
export function openTunnel(
  { url, authorization }: OutgoingProxy,
  target: string,
  signal?: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestHttps : requestHttp;
    const headers = { host: target, ...(authorization !== undefined && { 'proxy-authorization': authorization }) };
    const call = send(url, { method: 'CONNECT', path: target, headers, agent: false, ...(signal && { signal }) });
    call.on('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode >= 200 && statusCode <= 299) return resolve(socket);
      socket.destroy();
      reject(new TunnelRefused(statusCode));
    });
    // A proxy that knows no CONNECT answers like any server.
    call.on('response', (response) => {
      response.destroy();
      reject(new TunnelRefused(response.statusCode ?? 0));
    });
    call.on('error', reject);
    call.end();
  });
}

/** Returns the host and port of an address, as a proxy expects them. */
export function toTunnelTarget(address: string): string {
  const { protocol, hostname, port } = new URL(address);
  return `${hostname}:${port || (protocol === 'https:' || protocol === 'wss:' ? '443' : '80')}`;
}

/** Returns an agent whose connections to this address of a WebSocket go through the proxy. */
export function createTunnelAgent(proxy: OutgoingProxy, address: string): HttpAgent {
  const { protocol, hostname } = new URL(address);
  const isEncrypted = protocol === 'wss:';
  const agent = isEncrypted ? new HttpsAgent() : new HttpAgent();
  agent.createConnection = (_, onConnected = () => undefined) => {
    openTunnel(proxy, toTunnelTarget(address)).then(
      (socket) => {
        if (!isEncrypted) return onConnected(null, socket);
        const secured = connectTls({ socket, servername: hostname });
        secured.once('secureConnect', () => onConnected(null, secured));
        secured.once('error', (error) => onConnected(error, secured));
      },
      (error: Error) => onConnected(error, new Duplex()),
    );
    return undefined;
  };
  return agent;
}
