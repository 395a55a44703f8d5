/** Runs engines in separate processes, for tests that kill them. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Enrollment } from '@portal/contract/sync/enrollment';
import { bundleProgram } from '@portal/kit/bundle-program.fixture';
import type { EngineCommand } from './engine-process.fixture.ts';
import { patientMs } from './sync-integration.fixture.ts';
import type { SyncWorld } from './sync-world.fixture.ts';

const programFile = fileURLToPath(new URL('./engine-process.fixture.ts', import.meta.url));
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
  start(options?: EngineOptions): Promise<Engine>;
  stop(): void;
}

/** The addresses of the world, and what its integration has, unless given. */
export interface EngineOptions {
  readonly heliumUrl?: string;
  readonly journeyUrl?: string;
  readonly idleInTransactionMs?: number;
  readonly parallelDownloads?: number;
  readonly enrollment?: Enrollment;
}

export async function createEngines(world: SyncWorld): Promise<Engines> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-engine-'));
  const program = await bundleProgram(programFile, folder);
  const all: ChildProcess[] = [];
  const spares: Promise<ChildProcess>[] = [];

  async function forkEngine(): Promise<ChildProcess> {
    const engine = fork(program, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    all.push(engine);
    await once(engine, 'message');
    return engine;
  }

  return {
    async start({
      heliumUrl = world.helium.url,
      journeyUrl = world.deployment.url,
      idleInTransactionMs = patientMs,
      parallelDownloads = 4,
      enrollment,
    } = {}) {
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
        ...(enrollment && { enrollment }),
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
