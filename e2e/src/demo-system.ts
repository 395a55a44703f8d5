import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@portal/kit/ports';
import { type BundledSystem, createBundledSystem } from '@portal/system/bundled-system.fixture';
import { startCommand } from './started-command.ts';

/** The system that `npm start` starts, with its own port and data. */
export interface DemoSystem {
  readonly port: number;
  readonly stateDir: string;
  /** Stops everything; with `keepState`, the data remains. */
  stop(options?: { readonly keepState: boolean }): Promise<void>;
}

/** Removed after a run of tests; pictures have none. */
const parentFolder = process.env.PORTAL_RUN_FOLDER ?? tmpdir();

/** Made once in each process. */
let bundledSystem: Promise<BundledSystem> | undefined;

async function prepareBundle(): Promise<BundledSystem> {
  const bundle = await createBundledSystem(parentFolder);
  process.once('exit', bundle.remove);
  return bundle;
}

/** @param from The data of a stopped system, which is copied. Without it, all data is created. */
export async function startDemoSystem(from?: string): Promise<DemoSystem> {
  bundledSystem ??= prepareBundle();
  const { folder, program } = await bundledSystem;
  const stateDir = mkdtempSync(join(parentFolder, 'portal-demo-'));
  // PostgreSQL runs under a separate account and relocates its data if it cannot enter the folder.
  chmodSync(stateDir, 0o755);
  if (from) execFileSync('cp', ['-a', `${from}/.`, stateDir]);
  const port = await findFreePort();
  const portal = startCommand([process.execPath, program], {
    cwd: folder,
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
