import { once } from 'node:events';
import { createServer } from 'node:net';
import { findFreePort } from '@portal/kit/ports';
import { expect, test } from 'vitest';
import { findSyncAddress } from './sync-address.ts';

const findAddress = (configuredUrl?: string) => findSyncAddress(configuredUrl, async () => 4711);

test('starts a sync service on any port when none is configured', async () => {
  expect(await findAddress()).toEqual({ url: 'http://127.0.0.1:4711', port: 4711 });
});

test('starts a sync service at a configured local address, unless its port is in use', async () => {
  const port = await findFreePort();
  const url = `http://localhost:${port}`;
  expect(await findAddress(url)).toEqual({ url, port });
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  expect(await findAddress(url)).toEqual({ url, port: null });
  other.close();
});

test.each(['http://sync.internal:8081', 'https://127.0.0.1:8081', 'http://10.0.0.7'])(
  'does not start a sync service that is remote or behind TLS: %s',
  async (url) => expect(await findAddress(url)).toEqual({ url, port: null }),
);
