/**
 * A PostgreSQL of a test's own, which goes away while it is at work and comes back on its port with
 * its data.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@portal/kit/postgres/launcher';
import { kill, readPidFile } from '@portal/kit/postgres/postmaster';
import { getProcessIdentity } from '@portal/kit/process-identity';
import { vi } from 'vitest';

/**
 * SIGINT: sessions are cut, data is written. SIGQUIT: at once, as in a crash; what was committed is
 * recovered.
 */
export type Ending = 'SIGINT' | 'SIGQUIT';

export interface RestartedPostgres {
  /** Superuser address, to its database `postgres`. */
  readonly url: string;
  /** Ends the server; settles when it is gone. */
  end(how: Ending): Promise<void>;
  begin(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRestartedPostgres(): Promise<RestartedPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-restarted-'));
  // What was committed must be there after a crash of the server; a crash of the machine is not
  // what it is about.
  const server = await startPostgres({ dataDir, fast: true, settings: { synchronous_commit: 'on' } });
  return {
    url: server.url,
    async end(how) {
      const pid = readPidFile(join(dataDir, 'data'))?.pid;
      if (pid === undefined) throw new Error('It does not run.');
      kill(pid, how);
      await vi.waitUntil(() => getProcessIdentity(pid) === undefined, { timeout: 100_000, interval: 10 });
    },
    begin: () => server.restart(),
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
