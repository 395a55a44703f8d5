/**
 * What both sides and the lists of a played world hold, and what they have to hold: everything that
 * people wrote and did not delete.
 */
import type { HeldRecord } from '@portal/contract/sync/records';
import type { SchemaCopy } from '@portal/kit/postgres/schema-copy.fixture';
import type { DeploymentCopy } from '@portal/simulators/journey/simulator';
import type { Fields, Value } from '../../../record/fields.ts';
import type { SyncWorld } from '../sync-world.fixture.ts';
import { type Contents, findDifferences, type Rows, WrittenValues } from './written-values.fixture.ts';

export const playTables = {
  region: ['name text', 'code integer', 'extra text'],
  farmer: ['name text', 'code integer', 'region_fk uuid'],
};

export const playSchemaXml = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="region" label="Region">
    <field name="name" label="Name" type="text"/>
    <field name="code" label="Code" type="integer"/>
    <field name="memo" label="Memo" type="text"/>
    <has-many model="farmer" name="farmers"/>
    <display>{name}</display>
  </model>
  <model name="farmer" label="Farmer">
    <field name="name" label="Name" type="text"/>
    <field name="code" label="Code" type="integer"/>
    <belongs-to model="region"/>
    <display>{name}</display>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`;

type BothSides = Pick<Contents, 'helium' | 'journey'>;

export class PlayedContents {
  readonly written = new WrittenValues();
  readonly #world: SyncWorld;

  constructor(world: SyncWorld) {
    this.#world = world;
  }

  /** Throws when anything is missing that no one deleted. */
  async check(): Promise<void> {
    const missing = this.written.findMissing(await this.#readAll());
    if (missing.length > 0) throw new Error(missing.join('\n'));
  }

  /** Returns what differs between both sides. */
  async findDifferences(): Promise<string[]> {
    return findDifferences(await this.read(), (await this.#readLists()).held);
  }

  /**
   * Expects no longer what exists nowhere.
   *
   * @param sides what counts as being on both sides; default: what is there
   */
  async retain(sides?: BothSides): Promise<void> {
    const { lasting } = await this.#readLists();
    this.written.retain({ ...(sides ?? (await this.read())), lists: lasting });
  }

  async read(): Promise<BothSides> {
    return { helium: await this.#world.heliumRows(), journey: toObjects(await this.#world.deployment.takeCopy()) };
  }

  async #readAll(): Promise<Contents> {
    return { ...(await this.read()), lists: (await this.#readLists()).values };
  }

  async #readLists(): Promise<Lists> {
    const held = await this.#world.held().catch(() => []);
    const conflicts = await this.#world.conflicts().catch(() => []);
    return {
      values: collectValues([...held, ...conflicts]),
      lasting: collectValues([...held.filter(({ state }) => state !== 'waiting'), ...conflicts]),
      held: new Set(held.map(({ table, id }) => `${table}/${id}`)),
    };
  }
}

interface Lists {
  /** All values in the lists of conflicts and of held records, by `table/id`. */
  readonly values: ReadonlyMap<string, ReadonlySet<unknown>>;
  /**
   * Without those of a record that waits for a moment, such as for a lock: its row has them too.
   */
  readonly lasting: ReadonlyMap<string, ReadonlySet<unknown>>;
  readonly held: ReadonlySet<string>;
}

type Listed = Pick<HeldRecord, 'table' | 'id'> & { readonly helium?: unknown; readonly journey?: unknown };

function collectValues(listed: readonly Listed[]): Lists['values'] {
  const values = new Map<string, Set<unknown>>();
  for (const { table, id, helium, journey } of listed) {
    const found = values.get(`${table}/${id}`) ?? new Set();
    values.set(`${table}/${id}`, found);
    for (const value of [helium, journey])
      if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) found.add(one);
      else found.add(value);
  }
  return values;
}

export function toRow(table: string, contents: Readonly<Record<string, unknown>>): Fields {
  const { region_id, ...fields } = contents as Record<string, Value>;
  const own: Fields = table === 'region' ? { memo: null } : { region_fk: region_id ?? null };
  return { name: null, code: null, ...own, ...fields };
}

export function toObjects({ objects }: DeploymentCopy): Rows {
  const all: { type: string; id: string; contents: Record<string, unknown> }[] = JSON.parse(objects);
  return Object.fromEntries(all.map(({ type, id, contents }) => [`${type}/${id}`, toRow(type, contents)]));
}

export function toRows({ tables: copied }: SchemaCopy): Rows {
  return Object.fromEntries(
    copied.flatMap(({ name, rows }) => {
      const [, table = ''] = name.split('.');
      if (!(table in playTables)) return [];
      const all: ({ _id_: string } & Fields)[] = JSON.parse(rows);
      return all.map((row) => [`${table}/${row._id_}`, row]);
    }),
  );
}
