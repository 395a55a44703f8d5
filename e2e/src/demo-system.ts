import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@portal/kit/ports';
import { repositoryRoot } from './checkout.ts';
import { startCommand } from './started-command.ts';

/** What `npm start` starts, on a port and with data of its own. */
export interface DemoSystem {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startDemoSystem(): Promise<DemoSystem> {
  const stateDir = mkdtempSync(join(tmpdir(), 'portal-demo-'));
  const port = await freePort();
  const portal = startCommand([process.execPath, 'scripts/start.mjs'], {
    cwd: repositoryRoot,
    env: { PORT: String(port), PORTAL_STATE_DIR: stateDir },
  });
  await portal.outputMatches(/http:\/\/\S+/);
  return {
    port,
    async stop() {
      portal.pressCtrlC();
      await portal.ended;
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}
