import type { AddressInfo } from 'node:net';
import { heliumPaths } from '@portal/platforms/helium/wire';
import { fastify } from 'fastify';
import { WebSocketServer } from 'ws';

interface ListedApp {
  readonly id: string;
  readonly name: string;
  readonly schemaName: string;
}

export interface ListingPlatform {
  readonly baseUrl: string;
  /** The apps that it lists; a test removes them. */
  apps: readonly ListedApp[];
  /** The passwords that it accepts, by user. */
  readonly passwords: Map<string, string>;
  /** The status with which it fails; undefined while it works. */
  failure: number | undefined;
  stop(): Promise<void>;
}

/**
 * Starts a platform that only checks passwords and lists apps, which a test may withdraw. Its log
 * sockets are silent.
 */
export async function startListingPlatform(
  passwords: Readonly<Record<string, string>>,
  apps: readonly ListedApp[] = [],
): Promise<ListingPlatform> {
  const app = fastify({ forceCloseConnections: true });
  const sockets = new WebSocketServer({ server: app.server, path: heliumPaths.logging });
  const platform: ListingPlatform = {
    baseUrl: '',
    apps,
    passwords: new Map(Object.entries(passwords)),
    failure: undefined,
    async stop() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      await app.close();
    },
  };
  app.get(heliumPaths.apps, (request, reply) => {
    if (platform.failure !== undefined) return reply.code(platform.failure).send();
    const [user = '', password] = atob(request.headers.authorization?.split(' ')[1] ?? '').split(':');
    if (password === undefined || platform.passwords.get(user) !== password) return reply.code(401).send();
    return platform.apps.map((listed) => ({ fqdn: '', ...listed }));
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return Object.assign(platform, { baseUrl: `http://127.0.0.1:${port}` });
}
