import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findFreePort, getStablePort, isPortFree } from './ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'ports-'));
const file = join(folder, 'ports.json');
afterAll(() => rmSync(folder, { recursive: true }));

test('keeps the port of a name until another program takes it', async () => {
  writeFileSync(file, 'not JSON');
  const port = await getStablePort(file, 'one');
  expect(await getStablePort(file, 'two')).not.toBe(port);
  expect(await getStablePort(file, 'one')).toBe(port);

  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  expect(await isPortFree(port)).toBe(false);
  const moved = await getStablePort(file, 'one');
  expect(moved).not.toBe(port);
  other.close();
  await once(other, 'close');
  expect(await getStablePort(file, 'one')).toBe(moved);
});

test('never chooses a port twice that no program listens on yet', async () => {
  const ports = await Promise.all(Array.from({ length: 500 }, findFreePort));
  expect(new Set(ports).size).toBe(ports.length);
});

test('chooses free ports that no outgoing connection can take', async () => {
  for (let count = 0; count < 20; count++) expect(await findFreePort()).toBeLessThan(32_000);
});
