/**
 * Edits records on both sides. Every edit sets a field to a value that never occurred before, which
 * reveals lost and repeated edits.
 *
 *   Helium edits `name` of a record, Journey its `code`. Both create records, and delete some
 *   permanently.
 */
import type { Fields } from '../../record/fields.ts';
import type { SyncWorld } from './sync-world.fixture.ts';

export class RecordEditor {
  readonly #world: SyncWorld;
  readonly #random: () => number;
  readonly #live: string[] = [];
  /** Records that will be deleted, and are therefore never edited. */
  readonly #deletionQueue: string[] = [];
  readonly expected: Record<string, Fields> = {};
  figures = { heliumEdits: 0, journeyEdits: 0, deletions: 0 };
  #editCount = 0;

  constructor(world: SyncWorld, random: () => number) {
    this.#world = world;
    this.#random = random;
  }

  async edit(): Promise<void> {
    this.#editCount += 1;
    const number = this.#editCount;
    const isHelium = this.#random() < 0.5;
    if (this.#live.length < 10 || this.#random() < 0.15) return this.#create(isHelium, number, this.#live);
    if (this.#random() < 0.05) return this.#create(isHelium, number, this.#deletionQueue);
    if (this.#deletionQueue.length > 2 && this.#random() < 0.1) return this.#delete();
    const id = this.#live[Math.floor(this.#random() * this.#live.length)] ?? '';
    // A record that has not been synced yet cannot be edited on the other side.
    if (isHelium) {
      const { rowCount } = await this.#world.sql(`update $s.region set name = $2, _tstamp_ = now() where _id_ = $1`, [
        id,
        `name ${number}`,
      ]);
      if (rowCount) this.#record(id, { name: `name ${number}` });
    } else {
      const [outcome] = await this.#world.deployment.device.edit({
        method: 'patch',
        object: { type: 'region', id, code: number },
      });
      if (outcome?.success) this.#record(id, { code: number });
    }
  }

  /**
   * Deletes on the side that created the record, which its id shows: only that side has it for
   * certain.
   */
  async #delete(): Promise<void> {
    const id = this.#deletionQueue.shift() ?? '';
    if (id.startsWith('a')) await this.#world.sql('delete from $s.region where _id_ = $1', [id]);
    else await this.#world.edit({ method: 'delete', object: { type: 'region', id } });
    delete this.expected[`region/${id}`];
    this.figures.deletions += 1;
  }

  async #create(isHelium: boolean, number: number, ids: string[]): Promise<void> {
    const id = `${isHelium ? 'a' : 'b'}0000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    if (isHelium)
      await this.#world.sql('insert into $s.region (_id_, _tstamp_, name) values ($1, now(), $2)', [
        id,
        `name ${number}`,
      ]);
    else await this.#world.edit({ method: 'put', object: { type: 'region', id, code: number } });
    ids.push(id);
    this.expected[`region/${id}`] = { name: null, code: null };
    this.#record(id, isHelium ? { name: `name ${number}` } : { code: number });
  }

  #record(id: string, fields: Fields): void {
    if ('name' in fields) this.figures.heliumEdits += 1;
    else this.figures.journeyEdits += 1;
    this.expected[`region/${id}`] = { ...this.expected[`region/${id}`], ...fields };
  }
}
