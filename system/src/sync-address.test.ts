import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from '@portal/kit/ports';
import { expect, test } from 'vitest';
import { findSyncAddress } from './sync-address.ts';

const addressOf = (named?: string) => findSyncAddress(named, async () => 4711);

test('without a name it is started at any port', async () => {
  expect(await addressOf()).toEqual({ url: 'http://127.0.0.1:4711', port: 4711 });
});

test('at a name of this machine it is started, unless somebody serves there', async () => {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  expect(await addressOf(url)).toEqual({ url, port });
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  expect(await addressOf(url)).toEqual({ url, port: null });
  other.close();
});

test.each(['http://sync.internal:8081', 'https://127.0.0.1:8081', 'http://10.0.0.7'])(
  'what is elsewhere, or behind TLS, is not started here: %s',
  async (url) => expect(await addressOf(url)).toEqual({ url, port: null }),
);
