import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '@portal/kit/postgres/launcher';
import type {} from '@portal/kit/postgres/test-database';
import { acquireProcessLock } from '@portal/kit/process-lock';
import type { TestProject } from 'vitest/node';

const prefix = 'portal-test-';
const hourMs = 3_600_000;

/**
 * Starts a temporary PostgreSQL for each worker and removes it after the run. Each test file
 * creates its own databases in it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeLeftovers();
  const workers = Math.max(...project.vitest.projects.map(({ config }) => Number(config.maxWorkers)));
  const folders = Array.from({ length: workers }, () => mkdtempSync(join(tmpdir(), prefix)));
  const servers: PostgresServer[] = [];
  // For what workers use until the end: vitest ends them by a signal, so they cannot remove it.
  const runFolder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(runFolder, 0o755);
  process.env.PORTAL_RUN_FOLDER = runFolder;
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
    for (const folder of [...folders, runFolder]) rmSync(folder, { recursive: true, force: true });
  };
  try {
    // Room for the statements of all files: a test reads those of its own apps, whatever ran
    // before.
    const settings = { 'pg_stat_statements.max': '20000' };
    for (const dataDir of folders) servers.push(await startPostgres({ dataDir, isFast: true, settings }));
    project.provide(
      'postgresUrls',
      servers.map(({ url }) => url),
    );
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Removes the folders of killed runs, which no process owns. A recent folder may belong to a run
 * that is starting.
 */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    try {
      if (Date.now() - statSync(folder).mtimeMs < hourMs) continue;
      if (!('heldBy' in acquireProcessLock(join(folder, 'owner')))) rmSync(folder, { recursive: true, force: true });
    } catch {
      // The folder belongs to another user, or another run has just removed it.
    }
  }
}
