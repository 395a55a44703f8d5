/**
 * Plays changes of both data models between edits, against a real integration: columns, fields,
 * choices and relations that vanish, return, change their type or name, or get a default.
 *
 * What is not expected: a value that existed only in a column that is dropped, or only in a field
 * whose values Journey deletes.
 */
import { vi } from 'vitest';
import type { RestartingRun } from '../restarting-run.fixture.ts';
import { quickPolls } from '../sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld, worldSchemaXml, worldTables } from '../sync-world.fixture.ts';
import { intentsUnderWay } from '../world-rows.fixture.ts';

type Side = 'helium' | 'journey';
type Column = 'name' | 'code' | 'crop' | 'region_fk';

export type ColumnAction =
  | { readonly do: 'edit'; readonly side: Side; readonly nth: number; readonly column: Column }
  | { readonly do: 'drop' | 'add' | 'replace'; readonly column: 'code' | 'region_fk'; readonly hasDefault: boolean }
  | { readonly do: 'rename' | 'retype' | 'rest' | 'stop' | 'run' | 'save' }
  | { readonly do: 'lose' | 'return'; readonly what: 'code' | 'tea' };

const count = 5;
const code = '<field name="code" label="Code" type="integer"/>';
const tea = '<option key="tea">Tea</option>';
const crop = `<field name="crop" label="Crop" type="single-choice">${tea}<option key="maize">Maize</option></field>`;
const wholeSchemaXml = worldSchemaXml.replace(code, `${code}${crop}`);
const tables = { region: [...worldTables.region, 'crop text'], farmer: ['name text', 'region_fk uuid'] };
const foreignKey = 'references $s.region on delete set null';

class PlayedColumns {
  readonly #world: SyncWorld;
  readonly #lost = new Set<'code' | 'tea'>();
  /** What was written last, and is to be found at the end, by cell. */
  readonly #written = new Map<string, Set<unknown>>();
  #run: RestartingRun | null = null;
  #next = 100;

  constructor(world: SyncWorld) {
    this.#world = world;
  }

  async begin(): Promise<void> {
    const { sql } = this.#world;
    await sql(
      `insert into $s.region (_id_, _tstamp_, name, code, crop)
       select gen_random_uuid(), now() - interval '1 hour', 'region ' || no, no, case no % 2 when 0 then 'tea' else 'maize' end
       from generate_series(1, ${count}) no`,
    );
    await sql(
      `insert into $s.farmer (_id_, _tstamp_, name, region_fk)
       select gen_random_uuid(), now() - interval '1 hour', 'farmer of ' || name, _id_ from $s.region`,
    );
    this.run();
    await this.rest();
    for (const [key, fields] of Object.entries(await this.#world.heliumRows()))
      for (const [column, value] of Object.entries(fields))
        if (value !== null) this.#written.set(`${key}/${column}`, new Set([value]));
  }

  async play(action: ColumnAction): Promise<void> {
    switch (action.do) {
      case 'edit':
        return this.#edit(action);
      case 'drop':
      case 'add':
      case 'replace':
        return this.#changeColumn(action);
      case 'rename':
        return this.#rename();
      case 'retype':
        if (await this.#hasColumn('region', 'code'))
          await this.#world.sql('alter table $s.region alter code type bigint');
        return;
      case 'lose':
        return this.#lose(action.what);
      case 'return':
        this.#lost.delete(action.what);
        return this.#deploy();
      case 'rest':
        return this.rest();
      case 'stop':
        return this.stop();
      case 'run':
        return this.run();
      case 'save':
        return this.save();
    }
  }

  /** Brings both models back, and returns what is missing. */
  async end(): Promise<string[]> {
    this.#lost.clear();
    await this.#deploy();
    for (const column of ['code', 'region_fk'] as const)
      await this.#changeColumn({ do: 'add', column, hasDefault: false });
    await this.save();
    await this.rest();
    const [helium, journey] = [await this.#world.heliumRows(), await this.#world.journeyRows()];
    const [conflicts, held] = [await this.#world.conflicts(), await this.#world.held()];
    return [...this.#written].flatMap(([cell, values]) => {
      const [table = '', id = '', column = ''] = cell.split('/');
      const key = `${table}/${id}`;
      const found = new Set<unknown>([
        ...Object.values(helium[key] ?? {}),
        journey[key]?.[column],
        ...conflicts.filter((one) => one.id === id).flatMap((one) => [one.helium, one.journey]),
        ...held.filter((one) => one.id === id).flatMap((one) => Object.values({ ...one.helium, ...one.journey })),
      ]);
      return [...values].filter((value) => !found.has(value)).map((value) => `${cell}: ${value}`);
    });
  }

  run(): void {
    this.#run ??= this.#world.startWithRestarts();
  }

  async stop(): Promise<void> {
    await this.#run?.stop();
    this.#run = null;
  }

  async save(): Promise<void> {
    await this.stop();
    const { integration } = this.#world;
    Object.assign(integration, { configVersion: integration.configVersion + 1 });
    this.run();
  }

  /** Waits until nothing is left to do, whatever waits for a person. */
  async rest(): Promise<void> {
    const { sql, figures } = this.#world;
    if (!this.#run) return;
    for (let quiet = 0; quiet < 4; ) {
      const { lastPingedMs } = figures();
      await vi.waitUntil(() => figures().lastPingedMs !== lastPingedMs, { timeout: 100_000, interval: 10 });
      const { rows } = await sql(
        `select not exists (select from ${intentsUnderWay}) and not exists (select from __portal_sync__.dirty)
           and r.snapshot_to_helium is null and r.snapshot_to_journey is null
           and r.change_log_cursor = (select coalesce(max(seq), 0) from $s.__he_sync_obj_change__) as quiet
         from __portal_sync__.run r`,
      );
      quiet = rows[0]?.quiet ? quiet + 1 : 0;
    }
  }

  async #edit({ side, nth, column }: Extract<ColumnAction, { do: 'edit' }>): Promise<void> {
    const table = column === 'region_fk' ? 'farmer' : 'region';
    const rows = Object.keys(await this.#world.heliumRows()).sort();
    const [key = '', regions] = [
      rows.filter((one) => one.startsWith(table))[nth % count],
      rows.filter((one) => one.startsWith('region')),
    ];
    const id = key.slice(table.length + 1);
    this.#next += 1;
    const value = {
      name: `edit ${this.#next}`,
      code: this.#next,
      crop: this.#next % 2 === 0 && !this.#lost.has('tea') ? 'tea' : 'maize',
      region_fk: regions[this.#next % count]?.slice('region/'.length),
    }[column];
    if (side === 'helium') {
      if (!(await this.#hasColumn(table, column))) return;
      // A person overwrites what is there in the end, not what was read before.
      await this.rest();
      this.#overwrite(key, column, (await this.#world.heliumRows())[key]?.[column], value);
      await this.#world.sql(`update $s.${table} set ${column} = $2, _tstamp_ = now() where _id_ = $1`, [id, value]);
      return;
    }
    if (column === 'code' && this.#lost.has('code')) return;
    await this.rest();
    this.#overwrite(key, column, (await this.#world.journeyRows())[key]?.[column], value);
    const field = column === 'region_fk' ? 'region_id' : column;
    await this.#world.edit({ method: 'patch', object: { type: table, id, [field]: value } });
  }

  #overwrite(key: string, column: Column, before: unknown, value: unknown): void {
    const cell = `${key}/${column}`;
    const values = this.#written.get(cell) ?? new Set();
    values.delete(before);
    this.#written.set(cell, values.add(value));
  }

  async #hasColumn(table: string, column: string): Promise<boolean> {
    const { rowCount } = await this.#world.sql(
      `select from pg_attribute where attrelid = '$s.${table}'::regclass and attname = $1 and not attisdropped`,
      [column],
    );
    return rowCount === 1;
  }

  async #changeColumn(action: Extract<ColumnAction, { do: 'drop' | 'add' | 'replace' }>): Promise<void> {
    const { column, hasDefault } = action;
    const table = column === 'code' ? 'region' : 'farmer';
    const exists = await this.#hasColumn(table, column);
    if (exists === (action.do === 'add')) return;
    const type = column === 'code' ? `integer${hasDefault ? ' not null default 7' : ''}` : `uuid ${foreignKey}`;
    const [drop, add] = [`drop column ${column}`, `add column ${column} ${type}`];
    if (exists) {
      await this.rest();
      await this.#forgetOnly(table, column, 'helium');
    }
    const changes = { drop: [drop], add: [add], replace: [drop, add] }[action.do];
    await this.#world.sql(`begin; ${changes.map((change) => `alter table $s.${table} ${change};`).join(' ')} commit`);
  }

  async #rename(): Promise<void> {
    const [from, to] = (await this.#hasColumn('region', 'code')) ? ['code', 'code_old'] : ['code_old', 'code'];
    if (!(await this.#hasColumn('region', from)) || (await this.#hasColumn('region', to))) return;
    await this.#world.sql(`alter table $s.region rename column ${from} to ${to}`);
  }

  async #lose(what: 'code' | 'tea'): Promise<void> {
    if (this.#lost.has(what)) return;
    await this.rest();
    this.#lost.add(what);
    await this.#forgetOnly('region', what === 'code' ? 'code' : 'crop', 'journey', what === 'tea' ? 'tea' : undefined);
    await this.#deploy();
    const isLost = what === 'code' ? 'true' : `contents->>'crop' = 'tea'`;
    await this.#world.journeySql(
      `update object set contents = contents - '${what === 'code' ? 'code' : 'crop'}' where type = 'region' and ${isLost}`,
    );
  }

  async #deploy(): Promise<void> {
    const without = (xml: string, text: string) => xml.replace(text, '');
    const xml = this.#lost.has('code') ? without(wholeSchemaXml, code) : wholeSchemaXml;
    await this.#world.deployment.deploy(this.#lost.has('tea') ? without(xml, tea) : xml);
  }

  /** Does not expect what only the side has that now loses it. */
  async #forgetOnly(table: string, column: string, side: Side, only?: string): Promise<void> {
    const [helium, journey] = [await this.#world.heliumRows(), await this.#world.journeyRows()];
    const [own, other] = side === 'helium' ? [helium, journey] : [journey, helium];
    const listed = (await this.#world.conflicts()).map((one) => [one.id, one.helium, one.journey]);
    for (const [key, fields] of Object.entries(own)) {
      const value = fields[column];
      if (!key.startsWith(`${table}/`) || value == null || (only !== undefined && value !== only)) continue;
      const isElsewhere =
        Object.values(other[key] ?? {}).includes(value) ||
        listed.some(([id, ...values]) => key.endsWith(String(id)) && values.includes(value));
      if (!isElsewhere) this.#written.get(`${key}/${column}`)?.delete(value);
    }
  }
}

/** Plays everything, and returns the values that were written and are nowhere. */
export async function playColumns(actions: readonly ColumnAction[]): Promise<string[]> {
  const world = await createSyncWorld({
    tables,
    sql: 'alter table farmer add foreign key (region_fk) references region on delete set null',
    schemaXml: wholeSchemaXml,
    timing: quickPolls,
  });
  const played = new PlayedColumns(world);
  try {
    await played.begin();
    for (const action of actions) await played.play(action);
    return await played.end();
  } finally {
    await played.stop();
    await world.stop();
  }
}
