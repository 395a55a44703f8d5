/**
 * The engine in processes that are killed at random moments while both sides are edited. Every edit gives a field a value
 * that was never there before, so that a lost one shows, and so does one that came twice.
 *
 *   Helium edits `name` of a record, Journey its `code`; both make records of their own, and delete some for good.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Fields } from '../engine/fields.ts';
import type { EngineOrder } from './faults/engine-process.fixture.ts';
import type { SyncWorld } from './sync-world.fixture.ts';

const PROGRAM = fileURLToPath(new URL('./faults/engine-process.fixture.ts', import.meta.url));
const BUNDLER = fileURLToPath(new URL('../../../node_modules/.bin/esbuild', import.meta.url));
/** A life is at most this long once the engine has begun. */
const LIFE_MS = 700;

export interface KillLoopFigures {
  readonly kills: number;
  readonly heliumEdits: number;
  readonly journeyEdits: number;
  readonly deletions: number;
}

/** Plays until so many engines were killed; answers what both sides must have once one lives. */
export async function playKillLoop(
  world: SyncWorld,
  { kills, random }: { readonly kills: number; readonly random: () => number },
): Promise<{ readonly figures: KillLoopFigures; readonly expected: Record<string, Fields> }> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-engine-'));
  const engines = new Engines(world, await bundle(folder));
  const editor = new Editor(world, random);
  let isOver = false;
  const editing = (async () => {
    while (!isOver) {
      await editor.edit();
      await pause(random() * 20);
    }
  })();
  try {
    for (let killed = 0; killed < kills; killed += 1) {
      const engine = await engines.begin();
      await pause(random() * LIFE_MS);
      await kill(engine);
    }
  } finally {
    isOver = true;
    await editing;
    engines.end();
    rmSync(folder, { recursive: true });
  }
  return { figures: { kills, ...editor.figures }, expected: editor.expected };
}

/** As one file of plain JavaScript: it is begun in a quarter of the time, and most of a short life is its beginning. */
async function bundle(folder: string): Promise<string> {
  const file = join(folder, 'engine.cjs');
  const how = ['--bundle', '--platform=node', '--format=cjs', '--external:pg-native', '--log-level=error'];
  await promisify(execFile)(BUNDLER, [PROGRAM, ...how, `--outfile=${file}`]);
  return file;
}

/** Processes that are ready before they are needed: most of a short life would be spent on being born. */
class Engines {
  readonly #world: SyncWorld;
  readonly #program: string;
  readonly #waiting: Promise<ChildProcess>[] = [];
  readonly #all: ChildProcess[] = [];

  constructor(world: SyncWorld, program: string) {
    this.#world = world;
    this.#program = program;
  }

  async begin(): Promise<ChildProcess> {
    while (this.#waiting.length < 3) this.#waiting.push(this.#bear());
    const engine = await this.#waiting.shift();
    if (!engine) throw new Error('There is no process.');
    const { helium, deployment, integration } = this.#world;
    const { id, url, userName, password } = deployment;
    const order: EngineOrder = {
      heliumUrl: helium.url,
      appId: integration.appId,
      journey: { id, url, userName },
      password,
      fence: this.#world.nextFence(),
    };
    engine.send(order);
    await once(engine, 'message');
    return engine;
  }

  end(): void {
    for (const engine of this.#all) engine.kill('SIGKILL');
  }

  async #bear(): Promise<ChildProcess> {
    const engine = fork(this.#program, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#all.push(engine);
    await once(engine, 'message');
    return engine;
  }
}

/** Throws when it was dead already: that would be a bug of its own. */
async function kill(engine: ChildProcess): Promise<void> {
  if (engine.exitCode !== null) throw new Error(`The engine ended by itself, with ${engine.exitCode}.`);
  const dead = once(engine, 'exit');
  engine.kill('SIGKILL');
  await dead;
}

class Editor {
  readonly #world: SyncWorld;
  readonly #random: () => number;
  readonly #live: string[] = [];
  /** To be deleted, and therefore edited by nobody. */
  readonly #doomed: string[] = [];
  readonly expected: Record<string, Fields> = {};
  figures = { heliumEdits: 0, journeyEdits: 0, deletions: 0 };
  #no = 0;

  constructor(world: SyncWorld, random: () => number) {
    this.#world = world;
    this.#random = random;
  }

  async edit(): Promise<void> {
    this.#no += 1;
    const no = this.#no;
    const isHelium = this.#random() < 0.5;
    if (this.#live.length < 10 || this.#random() < 0.15) return this.#make(isHelium, no, this.#live);
    if (this.#random() < 0.05) return this.#make(isHelium, no, this.#doomed);
    if (this.#doomed.length > 2 && this.#random() < 0.1) return this.#delete();
    const id = this.#live[Math.floor(this.#random() * this.#live.length)] ?? '';
    // A record that has not come over yet cannot be edited there.
    if (isHelium) {
      const { rowCount } = await this.#world.sql(`update $s.region set name = $2, _tstamp_ = now() where _id_ = $1`, [
        id,
        `name ${no}`,
      ]);
      if (rowCount) this.#note(id, { name: `name ${no}` });
    } else {
      const [outcome] = await this.#world.deployment.device.edit({
        method: 'patch',
        object: { type: 'region', id, code: no },
      });
      if (outcome?.success) this.#note(id, { code: no });
    }
  }

  /** By who made it, which the id tells: that side has it for certain. */
  async #delete(): Promise<void> {
    const id = this.#doomed.shift() ?? '';
    if (id.startsWith('a')) await this.#world.sql('delete from $s.region where _id_ = $1', [id]);
    else await this.#world.edit({ method: 'delete', object: { type: 'region', id } });
    delete this.expected[`region/${id}`];
    this.figures.deletions += 1;
  }

  async #make(isHelium: boolean, no: number, among: string[]): Promise<void> {
    const id = `${isHelium ? 'a' : 'b'}0000000-0000-4000-8000-${String(no).padStart(12, '0')}`;
    if (isHelium)
      await this.#world.sql('insert into $s.region (_id_, _tstamp_, name) values ($1, now(), $2)', [id, `name ${no}`]);
    else await this.#world.edit({ method: 'put', object: { type: 'region', id, code: no } });
    among.push(id);
    this.expected[`region/${id}`] = { name: null, code: null };
    this.#note(id, isHelium ? { name: `name ${no}` } : { code: no });
  }

  #note(id: string, fields: Fields): void {
    if ('name' in fields) this.figures.heliumEdits += 1;
    else this.figures.journeyEdits += 1;
    this.expected[`region/${id}`] = { ...this.expected[`region/${id}`], ...fields };
  }
}

/** The same numbers for the same seed (xorshift). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
