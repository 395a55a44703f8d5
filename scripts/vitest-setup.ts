import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@portal/kit/postgres/launcher';
import type {} from '@portal/kit/postgres/test-database';
import { takeProcessLock } from '@portal/kit/process-lock';
import type { TestProject } from 'vitest/node';

const PREFIX = 'portal-test-';
const HOUR_MS = 3_600_000;

/** One PostgreSQL for the whole run, thrown away after it; each test file takes a database of its own in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeLeftovers();
  const dataDir = mkdtempSync(join(tmpdir(), PREFIX));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const server = await startPostgres({ dataDir, fast: true });
    project.provide('postgresUrl', server.url);
    return async () => {
      await server.stop();
      remove();
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Folders of runs that were killed: nobody owns them any more. A young one may belong to a run that is just starting. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX))) {
    const folder = join(tmpdir(), name);
    try {
      if (Date.now() - statSync(folder).mtimeMs < HOUR_MS) continue;
      if (!('heldBy' in takeProcessLock(join(folder, 'owner')))) rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another user's, or just now removed by another run: none of ours.
    }
  }
}
