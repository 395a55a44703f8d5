/**
 * A PostgreSQL server of one test, which stops during work and comes back on its port with its
 * data.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@portal/kit/postgres/launcher';
import { readPidFile, sendSignal } from '@portal/kit/postgres/postmaster';
import { getProcessIdentity } from '@portal/kit/process-identity';
import { vi } from 'vitest';

/**
 * SIGINT cuts sessions and writes data. SIGQUIT stops immediately, as in a crash; committed data is
 * recovered.
 */
export type Ending = 'SIGINT' | 'SIGQUIT';

export interface RestartedPostgres {
  /** Superuser address of its database `postgres`. */
  readonly url: string;
  /** Stops the server; resolves when it has exited. */
  end(how: Ending): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRestartedPostgres(): Promise<RestartedPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-restarted-'));
  // Committed data must survive a crash of the server, but not a crash of the machine.
  const server = await startPostgres({ dataDir, isFast: true, settings: { synchronous_commit: 'on' } });
  return {
    url: server.url,
    async end(how) {
      const pid = readPidFile(join(dataDir, 'data'))?.pid;
      if (pid === undefined) throw new Error('It does not run.');
      sendSignal(pid, how);
      await vi.waitUntil(() => getProcessIdentity(pid) === undefined, { timeout: 100_000, interval: 10 });
    },
    start: () => server.restart(),
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
