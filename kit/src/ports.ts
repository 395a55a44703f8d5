import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

const host = '127.0.0.1';

/** A TCP port on 127.0.0.1 that nobody uses at this moment. */
export async function freePort(): Promise<number> {
  const port = await tryPort(0);
  if (typeof port !== 'number') throw new Error('No free port was found.');
  return port;
}

/**
 * Whether nobody listens on the port now; one we may not use at all counts as free, and says so
 * when it is used.
 */
export async function isFree(port: number): Promise<boolean> {
  return (await tryPort(port)) !== 'taken';
}

/**
 * The port this name had before, if nobody else took it meanwhile; else a free one, remembered in
 * the file. So addresses that people or settings keep stay good from one start to the next.
 */
export async function rememberedPort(file: string, name: string): Promise<number> {
  const before = read(file)[name];
  if (before !== undefined && (await isFree(before))) return before;
  const port = await lastingPort();
  writeFileSync(file, `${JSON.stringify({ ...read(file), [name]: port }, undefined, 2)}\n`);
  return port;
}

/**
 * Below the ports that systems give to outgoing connections: none of those can hold it at the next
 * start.
 */
async function lastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function read(file: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function tryPort(port: number): Promise<number | 'taken' | 'refused'> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve('code' in error && error.code === 'EADDRINUSE' ? 'taken' : 'refused'));
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 'refused'));
    });
  });
}
