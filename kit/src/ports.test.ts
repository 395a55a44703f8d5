import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isFree, rememberedPort } from './ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'ports-'));
const file = join(folder, 'ports.json');
afterAll(() => rmSync(folder, { recursive: true }));

test('a name keeps its port until somebody else has taken it', async () => {
  writeFileSync(file, 'not JSON');
  const port = await rememberedPort(file, 'one');
  expect(await rememberedPort(file, 'two')).not.toBe(port);
  expect(await rememberedPort(file, 'one')).toBe(port);

  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  expect(await isFree(port)).toBe(false);
  const moved = await rememberedPort(file, 'one');
  expect(moved).not.toBe(port);
  other.close();
  await once(other, 'close');
  expect(await rememberedPort(file, 'one')).toBe(moved);
});
