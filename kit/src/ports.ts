import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How long a chosen port is kept from other processes: a slow machine needs a minute to use it. */
const claimMs = 10 * 60_000;

/**
 * Chooses an unused TCP port on 127.0.0.1 below the ephemeral range, so that no outgoing connection
 * takes it before a server listens there, or between two starts. Processes with the same folder for
 * temporary files do not choose the same port within ten minutes.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (claimPort(port) && (await isPortFree(port))) return port;
  }
}

/** Returns false when another process has chosen the port and may not listen on it yet. */
function claimPort(port: number): boolean {
  const folder = join(tmpdir(), 'portal-ports');
  const file = join(folder, String(port));
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch {
    return renewClaim(file);
  }
}

function renewClaim(file: string): boolean {
  try {
    if (Date.now() - statSync(file).mtimeMs < claimMs) return false;
    utimesSync(file, new Date(), new Date());
    return true;
  } catch {
    // Claims are not possible here, such as in another account's folder. Ports are rarely taken.
    return true;
  }
}

/**
 * Returns whether no program listens on the port. A port this account may not use counts as
 * free; using it reports the error.
 */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(!('code' in error && error.code === 'EADDRINUSE')));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/**
 * Returns the saved port of this name if it is still free; otherwise chooses a free port and saves
 * it in the file. Addresses therefore stay stable across restarts.
 */
export async function getStablePort(file: string, name: string): Promise<number> {
  const savedPort = read(file)[name];
  if (savedPort !== undefined && (await isPortFree(savedPort))) return savedPort;
  const port = await findFreePort();
  writeFileSync(file, `${JSON.stringify({ ...read(file), [name]: port }, undefined, 2)}\n`);
  return port;
}

function read(file: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
