/** Engines in processes of their own, for tests that kill them. */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { EngineOrder } from '../faults/engine-process.fixture.ts';
import type { SyncWorld } from './sync-world.fixture.ts';

const programFile = fileURLToPath(new URL('../faults/engine-process.fixture.ts', import.meta.url));
const bundler = fileURLToPath(new URL('../../../../node_modules/.bin/esbuild', import.meta.url));
/** Ready before they are needed: most of a short life would be spent on being born. */
const spareProcesses = 3;

interface Engine {
  /** At once and for good; throws when it had ended by itself, which would be a bug of its own. */
  kill(): Promise<void>;
}

export interface Engines {
  /** Each has a greater fence than the one before. */
  begin(addresses?: { readonly heliumUrl: string; readonly journeyUrl: string }): Promise<Engine>;
  end(): void;
}

export async function createEngines(world: SyncWorld): Promise<Engines> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-engine-'));
  const program = await bundle(folder);
  const all: ChildProcess[] = [];
  const waiting: Promise<ChildProcess>[] = [];

  async function bear(): Promise<ChildProcess> {
    const engine = fork(program, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    all.push(engine);
    await once(engine, 'message');
    return engine;
  }

  return {
    async begin({ heliumUrl, journeyUrl } = { heliumUrl: world.helium.url, journeyUrl: world.deployment.url }) {
      while (waiting.length < spareProcesses) waiting.push(bear());
      const engine = await waiting.shift();
      if (!engine) throw new Error('There is no process.');
      const { id, userName, password } = world.deployment;
      const order: EngineOrder = {
        heliumUrl,
        appId: world.integration.appId,
        journey: { id, url: journeyUrl, userName },
        password,
        fence: world.nextFence(),
      };
      engine.send(order);
      await once(engine, 'message');
      return {
        async kill() {
          if (engine.exitCode !== null) throw new Error(`The engine ended by itself, with ${engine.exitCode}.`);
          const dead = once(engine, 'exit');
          engine.kill('SIGKILL');
          await dead;
        },
      };
    },
    end() {
      for (const engine of all) engine.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * As one file of plain JavaScript: it is begun in a quarter of the time, and most of a short life
 * is its beginning.
 */
async function bundle(folder: string): Promise<string> {
  const file = join(folder, 'engine.cjs');
  const how = ['--bundle', '--platform=node', '--format=cjs', '--external:pg-native', '--log-level=error'];
  await promisify(execFile)(bundler, [programFile, ...how, `--outfile=${file}`]);
  return file;
}
