import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

const host = '127.0.0.1';

/** Returns a currently unused TCP port on 127.0.0.1. */
export async function findFreePort(): Promise<number> {
  const port = await probePort(0);
  if (typeof port !== 'number') throw new Error('No free port was found.');
  return port;
}

/**
 * Returns whether no program listens on the port. A port that we may not use counts as free; using
 * it reports the error.
 */
export async function isPortFree(port: number): Promise<boolean> {
  return (await probePort(port)) !== 'taken';
}

/**
 * Returns the saved port of this name if it is still free; otherwise chooses a free port and saves
 * it in the file. Addresses therefore stay stable across restarts.
 */
export async function getStablePort(file: string, name: string): Promise<number> {
  const savedPort = read(file)[name];
  if (savedPort !== undefined && (await isPortFree(savedPort))) return savedPort;
  const port = await findStablePort();
  writeFileSync(file, `${JSON.stringify({ ...read(file), [name]: port }, undefined, 2)}\n`);
  return port;
}

/**
 * Chooses a port below the ephemeral range, so that no outgoing connection can hold it at the next
 * start.
 */
async function findStablePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isPortFree(port)) return port;
  }
}

function read(file: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function probePort(port: number): Promise<number | 'taken' | 'refused'> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve('code' in error && error.code === 'EADDRINUSE' ? 'taken' : 'refused'));
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 'refused'));
    });
  });
}
