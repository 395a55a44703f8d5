import { createServer, connect as openSocket } from 'node:net';
import { withClient } from './pool.ts';

/**
 * Makes a server state an older version to those who connect with the returned address. Servers
 * that are too old are not among those the tests install. It ends with the process.
 *
 * @param version `server_version_num`: 100023 for 10.23
 */
export async function pretendOldServer(address: string, version: number): Promise<string> {
  const real = await withClient({ connectionString: address }, async (client) => {
    const { rows } = await client.query<{ version: string }>(`select current_setting('server_version_num') as version`);
    return rows[0]?.version ?? '';
  });
  const { hostname, port } = new URL(address);
  const relay = createServer((client) => {
    const server = openSocket({ host: hostname, port: Number(port) });
    client.pipe(server);
    // Both numbers have six digits, so no length in the message changes.
    server.on('data', (bytes) => client.write(bytes.toString('latin1').replaceAll(real, `${version}`), 'latin1'));
    server.on('end', () => client.end());
    for (const [end, other] of [
      [client, server],
      [server, client],
    ] as const)
      end.on('error', () => other.destroy());
  });
  relay.unref();
  await new Promise<void>((resolve) => {
    relay.listen(0, '127.0.0.1', resolve);
  });
  const at = relay.address();
  if (at === null || typeof at === 'string') throw new Error('the relay has no port');
  return Object.assign(new URL(address), { hostname: '127.0.0.1', port: `${at.port}` }).href;
}
