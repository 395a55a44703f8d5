/**
 * Edits the files of records on both sides, never one file twice.
 *
 *   Helium sets, replaces and clears `scan`, devices `photo`. Some photos are only announced, and
 *   uploaded later without an entry in the op-log. Some records are deleted while their file waits.
 */
import { randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { computeHash, finishUpload, toUpload } from './photo-uploads.fixture.ts';
import type { SyncWorld } from './sync-world.fixture.ts';

/** The parts of a world that people use. */
export type PlayedWorld = Pick<SyncWorld, 'sql' | 'journeySql' | 'edit' | 'deployment'>;

export const fileTables = { visit: ['note text', 'photo bytea', 'scan bytea'] };

export const fileSchemaXml = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="visit" label="Visit">
    <field name="note" label="Note" type="text"/>
    <field name="photo" label="Photo" type="photo"/>
    <field name="scan" label="Scan" type="photo"/>
    <display>{note}</display>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`;

/** The hash of each file; null for an empty field. */
interface FileHashes {
  readonly photo: string | null;
  readonly scan: string | null;
}

interface Upload {
  readonly photoId: string;
  readonly photo: Buffer;
}

const photoBytes = 1_000;
const maxRecords = 12;

export class FileEditor {
  readonly #world: PlayedWorld;
  readonly #random: () => number;
  readonly #live: string[] = [];
  /** Records that will be deleted by the side that created them, which their id shows. */
  readonly #deletionQueue: string[] = [];
  #announced: Upload[] = [];
  #editCount = 0;
  /** What both sides must have in the end, by record. */
  readonly expected: Record<string, FileHashes> = {};

  constructor(world: PlayedWorld, random: () => number) {
    this.#world = world;
    this.#random = random;
  }

  async edit(): Promise<void> {
    this.#editCount += 1;
    if (this.#random() < 0.2) return this.#finishOldest();
    const isHelium = this.#random() < 0.5;
    if (this.#live.length < 4 || (this.#live.length < maxRecords && this.#random() < 0.2))
      return this.#create(isHelium, this.#live);
    if (this.#deletionQueue.length < 2 && this.#random() < 0.2) return this.#create(isHelium, this.#deletionQueue);
    if (this.#deletionQueue.length > 0 && this.#random() < 0.2) return this.#delete();
    const id = this.#live[Math.floor(this.#random() * this.#live.length)] ?? '';
    if (isHelium) await this.#setScan(id);
    else await this.#setPhoto(id);
  }

  /** Creates a record with a file on each side, and announces and uploads another file. */
  async editBothSides(): Promise<void> {
    for (const isHelium of [true, false]) {
      this.#editCount += 1;
      await this.#create(isHelium, this.#live);
    }
    await this.#announce(this.#live.at(-1) ?? '');
    await this.finishUploads();
  }

  /** Uploads everything that was announced. */
  async finishUploads(): Promise<void> {
    while (this.#announced.length > 0) await this.#finishOldest();
  }

  /**
   * Returns what is not as expected, as one line for each record and side. A photo that a device
   * has cleared may be there again, in a conflict: a write without an answer explains the change,
   * too.
   */
  async findDifferences(): Promise<string[]> {
    const { sql, journeySql, deployment } = this.#world;
    const listed = await sql(
      `select c.id::text, substr(c.helium #>> '{}', length('sha256:') + 1) as photo
       from __portal_sync__.conflict c join __portal_sync__.run r using (state_id)
       where c.column_name = 'photo' and c.journey = 'null' and c.winner = 'helium' and strpos(r.state_key, $1) > 0`,
      [deployment.id],
    );
    const helium = await sql(
      `select _id_::text as id, encode(sha256(photo), 'hex') as photo, encode(sha256(scan), 'hex') as scan
       from $s.visit`,
    );
    const journey = await journeySql(
      `select o.id::text, encode(sha256(photo.content), 'hex') as photo, encode(sha256(scan.content), 'hex') as scan
       from object o join deployment d on d.key = o.deployment and d.id = $1
       left join attachment photo on photo.deployment = d.key and photo.id::text = o.contents->>'photo'
       left join attachment scan on scan.deployment = d.key and scan.id::text = o.contents->>'scan'
       where o.type = 'visit'`,
      [deployment.id],
    );
    const inJourney = new Map(journey.rows.map(({ id, photo }) => [id, photo]));
    const inHelium = new Map(helium.rows.map(({ id, photo }) => [id, photo]));
    const restored = new Set<string>(
      listed.rows
        .filter(
          ({ id, photo }) =>
            this.expected[id]?.photo === null && [inHelium, inJourney].every((side) => side.get(id) === photo),
        )
        .map(({ id }) => id),
    );
    return [...this.#compare('Helium', helium.rows, restored), ...this.#compare('Journey', journey.rows, restored)];
  }

  #compare(
    side: string,
    rows: readonly (FileHashes & { readonly id: string })[],
    restored: ReadonlySet<string>,
  ): string[] {
    const found = new Map(
      rows.map(({ id, photo, scan }) => [id, JSON.stringify({ photo: restored.has(id) ? null : photo, scan })]),
    );
    const ids = new Set([...found.keys(), ...Object.keys(this.expected)]);
    return [...ids].flatMap((id) => {
      const expected = id in this.expected ? JSON.stringify(this.expected[id]) : 'no record';
      const actual = found.get(id) ?? 'no record';
      return actual === expected ? [] : [`${side} ${id}: ${actual} instead of ${expected}`];
    });
  }

  async #create(isHelium: boolean, ids: string[]): Promise<void> {
    const id = `${isHelium ? 'a' : 'b'}0000000-0000-4000-8000-${String(this.#editCount).padStart(12, '0')}`;
    const file = createPhoto(photoBytes);
    if (isHelium)
      await this.#world.sql('insert into $s.visit (_id_, _tstamp_, scan) values ($1, now(), $2)', [id, file]);
    else await this.#world.edit({ method: 'put', object: { type: 'visit', id, photo: toUpload(file) } });
    ids.push(id);
    const hash = computeHash(file);
    this.expected[id] = isHelium ? { photo: null, scan: hash } : { photo: hash, scan: null };
  }

  async #delete(): Promise<void> {
    const id = this.#deletionQueue.shift() ?? '';
    // Its file may still wait in Helium when it is deleted there, or in Journey.
    await this.#announce(id);
    if (id.startsWith('a')) await this.#world.sql('delete from $s.visit where _id_ = $1', [id]);
    else await this.#world.edit({ method: 'delete', object: { type: 'visit', id } });
    delete this.expected[id];
  }

  async #setScan(id: string): Promise<void> {
    const scan = this.#random() < 0.2 ? null : createPhoto(photoBytes);
    const { rowCount } = await this.#world.sql('update $s.visit set scan = $2, _tstamp_ = now() where _id_ = $1', [
      id,
      scan,
    ]);
    if (rowCount) this.#record(id, { scan: scan && computeHash(scan) });
  }

  async #setPhoto(id: string): Promise<void> {
    const kind = this.#random();
    if (kind < 0.4) return this.#announce(id);
    const photo = kind < 0.6 ? null : createPhoto(photoBytes);
    if (await this.#patch(id, photo === null ? { photo_id: null } : { photo: toUpload(photo) }))
      this.#record(id, { photo: photo && computeHash(photo) });
  }

  async #announce(id: string): Promise<void> {
    const [photoId, photo] = [randomUUID(), createPhoto(photoBytes)];
    if (!(await this.#patch(id, { photo_id: photoId }))) return;
    this.#announced.push({ photoId, photo });
    this.#record(id, { photo: computeHash(photo) });
  }

  /** Returns whether Journey has the record already. */
  async #patch(id: string, fields: object): Promise<boolean> {
    const [outcome] = await this.#world.deployment.device.edit({
      method: 'patch',
      object: { type: 'visit', id, ...fields },
    });
    return outcome?.success ?? false;
  }

  async #finishOldest(): Promise<void> {
    const [oldest, ...rest] = this.#announced;
    if (!oldest) return;
    await finishUpload(this.#world, oldest.photoId, oldest.photo);
    this.#announced = rest;
  }

  #record(id: string, change: Partial<FileHashes>): void {
    this.expected[id] = { photo: null, scan: null, ...this.expected[id], ...change };
  }
}
