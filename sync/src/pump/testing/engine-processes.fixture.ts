/** Runs engines in separate processes, for tests that kill them. */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { EngineCommand } from '../faults/engine-process.fixture.ts';
import { patientMs } from './sync-integration.fixture.ts';
import type { SyncWorld } from './sync-world.fixture.ts';

const programFile = fileURLToPath(new URL('../faults/engine-process.fixture.ts', import.meta.url));
const bundler = fileURLToPath(new URL('../../../../node_modules/.bin/esbuild', import.meta.url));
/** Started ahead of time, because starting takes longer than most of these processes run. */
const spareProcesses = 3;

export interface Engine {
  /** Kills the process immediately. Throws when it already stopped on its own, which is a bug. */
  kill(): Promise<void>;
  /** Stops the process, which keeps its connections, until it is killed. */
  freeze(): void;
}

export interface Engines {
  /** Starts an engine with a greater fence than the previous one. */
  start(addresses?: {
    readonly heliumUrl: string;
    readonly journeyUrl: string;
    readonly idleInTransactionMs?: number;
    readonly parallelDownloads?: number;
  }): Promise<Engine>;
  stop(): void;
}

export async function createEngines(world: SyncWorld): Promise<Engines> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-engine-'));
  const program = await bundle(folder);
  const all: ChildProcess[] = [];
  const spares: Promise<ChildProcess>[] = [];

  async function forkEngine(): Promise<ChildProcess> {
    const engine = fork(program, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    all.push(engine);
    await once(engine, 'message');
    return engine;
  }

  return {
    async start(
      { heliumUrl, journeyUrl, idleInTransactionMs = patientMs, parallelDownloads = 4 } = {
        heliumUrl: world.helium.url,
        journeyUrl: world.deployment.url,
      },
    ) {
      while (spares.length < spareProcesses) spares.push(forkEngine());
      const engine = await spares.shift();
      if (!engine) throw new Error('No process is available.');
      const { id, userName, password } = world.deployment;
      const command: EngineCommand = {
        heliumUrl,
        appId: world.integration.appId,
        journey: { id, url: journeyUrl, userName },
        password,
        fence: world.nextFence(),
        idleInTransactionMs,
        parallelDownloads,
      };
      engine.send(command);
      await once(engine, 'message');
      return {
        freeze() {
          engine.kill('SIGSTOP');
        },
        async kill() {
          if (engine.exitCode !== null)
            throw new Error(`The engine stopped on its own with exit code ${engine.exitCode}.`);
          const exited = once(engine, 'exit');
          engine.kill('SIGKILL');
          await exited;
        },
      };
    },
    stop() {
      for (const engine of all) engine.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    },
  };
}

/** Bundles the engine into one file of plain JavaScript, which starts four times faster. */
async function bundle(folder: string): Promise<string> {
  const file = join(folder, 'engine.cjs');
  const options = ['--bundle', '--platform=node', '--format=cjs', '--external:pg-native', '--log-level=error'];
  await promisify(execFile)(bundler, [programFile, ...options, `--outfile=${file}`]);
  return file;
}
