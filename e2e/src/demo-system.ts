import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@portal/kit/ports';
import { repositoryRoot } from './checkout.ts';
import { startCommand } from './started-command.ts';

/** What `npm start` starts, on a port and with data of its own. */
export interface DemoSystem {
  readonly port: number;
  readonly stateDir: string;
  /** Stops everything; its data stays with `keepState`. */
  stop(options?: { readonly keepState: boolean }): Promise<void>;
}

/**
 * @param from the data of a system that was stopped, which is copied; without it everything is made
 * anew
 */
export async function startDemoSystem(from?: string): Promise<DemoSystem> {
  const stateDir = mkdtempSync(join(tmpdir(), 'portal-demo-'));
  // PostgreSQL runs under an account of its own and keeps its data elsewhere when it cannot enter
  // the folder.
  chmodSync(stateDir, 0o755);
  if (from) execFileSync('cp', ['-a', `${from}/.`, stateDir]);
  const port = await findFreePort();
  const portal = startCommand([process.execPath, 'scripts/start.mjs'], {
    cwd: repositoryRoot,
    env: { PORT: String(port), PORTAL_STATE_DIR: stateDir },
  });
  await portal.outputMatches(/http:\/\/\S+/);
  return {
    port,
    stateDir,
    async stop({ keepState } = { keepState: false }) {
      portal.pressCtrlC();
      await portal.ended;
      if (!keepState) rmSync(stateDir, { recursive: true, force: true });
    },
  };
}
