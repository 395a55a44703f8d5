/**
 * The engine in processes that are killed at random moments while both sides are edited. Every edit
 * gives a field a value that was never there before, so that a lost one shows, and so does one that
 * came twice.
 *
 *   Helium edits `name` of a record, Journey its `code`; both make records of their own, and delete some for good.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Fields } from '../../record/fields.ts';
import { createEngines } from './engine-processes.fixture.ts';
import type { SyncWorld } from './sync-world.fixture.ts';

/** A life is at most this long once the engine has begun. */
const lifeMs = 700;

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
  const engines = await createEngines(world);
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
      await pause(random() * lifeMs);
      await engine.kill();
    }
  } finally {
    isOver = true;
    await editing;
    engines.end();
  }
  return { figures: { kills, ...editor.figures }, expected: editor.expected };
}

class Editor {
  readonly #world: SyncWorld;
  readonly #random: () => number;
  readonly #live: string[] = [];
  /** To be deleted, and therefore edited by nobody. */
  readonly #doomed: string[] = [];
  readonly expected: Record<string, Fields> = {};
  figures = { heliumEdits: 0, journeyEdits: 0, deletions: 0 };
  #nextNumber = 0;

  constructor(world: SyncWorld, random: () => number) {
    this.#world = world;
    this.#random = random;
  }

  async edit(): Promise<void> {
    this.#nextNumber += 1;
    const number = this.#nextNumber;
    const isHelium = this.#random() < 0.5;
    if (this.#live.length < 10 || this.#random() < 0.15) return this.#make(isHelium, number, this.#live);
    if (this.#random() < 0.05) return this.#make(isHelium, number, this.#doomed);
    if (this.#doomed.length > 2 && this.#random() < 0.1) return this.#delete();
    const id = this.#live[Math.floor(this.#random() * this.#live.length)] ?? '';
    // A record that has not come over yet cannot be edited there.
    if (isHelium) {
      const { rowCount } = await this.#world.sql(`update $s.region set name = $2, _tstamp_ = now() where _id_ = $1`, [
        id,
        `name ${number}`,
      ]);
      if (rowCount) this.#note(id, { name: `name ${number}` });
    } else {
      const [outcome] = await this.#world.deployment.device.edit({
        method: 'patch',
        object: { type: 'region', id, code: number },
      });
      if (outcome?.success) this.#note(id, { code: number });
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

  async #make(isHelium: boolean, number: number, among: string[]): Promise<void> {
    const id = `${isHelium ? 'a' : 'b'}0000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    if (isHelium)
      await this.#world.sql('insert into $s.region (_id_, _tstamp_, name) values ($1, now(), $2)', [
        id,
        `name ${number}`,
      ]);
    else await this.#world.edit({ method: 'put', object: { type: 'region', id, code: number } });
    among.push(id);
    this.expected[`region/${id}`] = { name: null, code: null };
    this.#note(id, isHelium ? { name: `name ${number}` } : { code: number });
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
