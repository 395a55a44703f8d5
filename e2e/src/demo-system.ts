import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@portal/kit/ports';
import { createBundledSystem } from '@portal/system/bundled-system.fixture';
import { oncePerRun, runFolder } from './once-per-run.ts';
import { startCommand } from './started-command.ts';

/** The system that `npm start` starts, with its own port and data. */
export interface DemoSystem {
  readonly port: number;
  readonly stateDir: string;
  /** Stops everything; with `keepState`, the data remains. */
  stop(options?: { readonly keepState: boolean }): Promise<void>;
}

const parentFolder = runFolder ?? tmpdir();

/** The folder and the program of the bundle. */
let bundledSystem: Promise<readonly [folder: string, program: string]> | undefined;

async function prepareBundle(): Promise<readonly [string, string]> {
  const paths = await oncePerRun('demo-bundle', async () => {
    const { folder, program, remove } = await createBundledSystem(parentFolder);
    if (runFolder === undefined) process.once('exit', remove);
    return `${folder}\n${program}`;
  });
  const [folder = '', program = ''] = paths.split('\n');
  return [folder, program];
}

/** @param from The data of a stopped system, which is copied. Without it, all data is created. */
export async function startDemoSystem(from?: string): Promise<DemoSystem> {
  bundledSystem ??= prepareBundle();
  const [folder, program] = await bundledSystem;
  const stateDir = createStateFolder(from);
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

/** @param from The data of a stopped system, which is copied. */
export function createStateFolder(from?: string): string {
  const stateDir = mkdtempSync(join(parentFolder, 'portal-demo-'));
  // PostgreSQL runs under a separate account and relocates its data if it cannot enter the folder.
  chmodSync(stateDir, 0o755);
  if (from) execFileSync('cp', ['-a', `${from}/.`, stateDir]);
  return stateDir;
}
