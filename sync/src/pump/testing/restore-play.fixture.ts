/**
 * Plays what people and operators do to both sides of a real integration: edits, restores, versions
 * moved back, lists that are empty for a moment, and every question answered by its default.
 *
 * What nothing can save, and is therefore not expected (`WrittenValues.retain`):
 *   - what existed only on the restored side, and only after the copy was taken
 *   - what existed only in a list of conflicts or held records that was restored or dropped with the
 *     engine's schema
 *   - fields that only Journey has, of a record that both sides create with one id while the
 *     integration is stopped: our put may replace it
 *   - what existed only in a log that expired, was cleared or was moved past: an edit that the other
 *     side overwrote while its direction was off
 * A deletion that a restore undoes may come back.
 */
import type { SyncConfig } from '@portal/contract/sync-config';
import type { SyncDirection } from '@portal/contract/sync-records';
import { getAnswers } from '@portal/contract/sync-recovery';
import { inTransaction, type PoolClient } from '@portal/kit/postgres/pool';
import type { DeploymentCopy } from '@portal/platforms/journey/simulator';
import { vi } from 'vitest';
import { foreignKey, schema } from '../../helium/helium-gateway.fixture.ts';
import { restoreSchemaCopy, type SchemaCopy, takeSchemaCopy } from '../../helium/schema-copy.fixture.ts';
import { LeaseLostError } from '../../integration/lease-lost-error.ts';
import type { RunResult } from '../../integration/run-host.ts';
import type { Fields, Value } from '../../record/fields.ts';
import type { ConflictPolicy } from '../../record/merge.ts';
import { requestComparison, saveCursor } from '../../sync-state/operations.store.ts';
import { readQuestion, saveAnswer } from '../../sync-state/questions.store.ts';
import type { RestartingRun } from './restarting-run.fixture.ts';
import { createSyncWorld, type SyncWorld } from './sync-world.fixture.ts';
import { intentsUnderWay } from './world-rows.fixture.ts';
import {
  type Contents,
  findDifferences,
  heliumOnly,
  journeyOnly,
  type Rows,
  WrittenValues,
} from './written-values.fixture.ts';

type Side = 'helium' | 'journey';
type Mode = 'both' | 'to Journey' | 'to Helium';
type Table = 'region' | 'farmer';
/** Whether the numbers after a restore are behind those before, have reached or overtaken them. */
type Numbers = 'behind' | 'equal' | 'past';

export type Action =
  /** @param logged whether Helium's row and transaction log name the time, as Helium does */
  | { readonly do: 'insert'; readonly side: Side; readonly table: Table; readonly logged: boolean }
  | {
      readonly do: 'edit';
      readonly side: Side;
      readonly table: Table;
      readonly nth: number;
      readonly column: 'name' | 'code' | 'one-sided';
      readonly logged: boolean;
    }
  /** The same record on both sides, with different names. Only before the first start. */
  | { readonly do: 'insert on both sides' }
  | { readonly do: 'refer'; readonly side: Side; readonly nth: number; readonly to: number }
  | { readonly do: 'delete'; readonly side: Side; readonly table: Table; readonly nth: number }
  | { readonly do: 'create again'; readonly side: Side; readonly nth: number }
  | { readonly do: 'rest' }
  | { readonly do: 'stop' }
  | { readonly do: 'run'; readonly mode: Mode }
  | { readonly do: 'copy'; readonly side: Side }
  /** @param how `rows`: in one transaction, with the edits after it; `schema`: dropped and created again */
  | {
      readonly do: 'restore Helium';
      readonly numbers: Numbers;
      readonly how: 'rows' | 'schema' | 'schema, noticed' | 'database';
    }
  | { readonly do: 'restore Journey'; readonly numbers: Numbers }
  | { readonly do: 'empty list'; readonly during: 'comparison' | 'version 0' }
  | { readonly do: 'move'; readonly direction: SyncDirection; readonly to: 'zero' | 'half' }
  | { readonly do: 'compare' }
  | { readonly do: 'expire'; readonly keep: number }
  | { readonly do: 'clear log' }
  | { readonly do: 'lose state' };

export interface Setup {
  readonly policy: ConflictPolicy;
  readonly mode: Mode;
  /** `given`: from the ends of the logs when the integration starts; `half`: only the op-log's. */
  readonly from: 'zero' | 'given' | 'half';
}

const tables = {
  region: ['name text', 'code integer', 'extra text'],
  farmer: ['name text', 'code integer', 'region_fk uuid'],
};

const schemaXml = `<?xml version="1.0" encoding="UTF-8"?>
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

/** How often the op-log is polled again before both sides count as at rest. */
const restPolls = 2;
const wait = { timeout: 60_000, interval: 10 };
/** More questions and halts in a row than any single act can cause. */
const maxHalts = 12;

export interface Play {
  readonly setup: Setup;
  readonly actions: readonly Action[];
}

/** Plays everything, lets both sides come to rest, and throws when anything is missing or differs. */
export async function playRestores({ setup, actions }: Play): Promise<void> {
  const world = await createSyncWorld({ tables, sql: foreignKey('farmer', 'region_fk', 'region'), schemaXml });
  const player = new Player(world, setup);
  try {
    for (const action of actions) await player.play(action);
    await player.finish();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error([message, '', 'What happened:', ...player.trace].join('\n'), { cause: error });
  } finally {
    await world.stop();
  }
}

interface CurrentRun {
  readonly run: RestartingRun;
  result: RunResult | LeaseLostError | undefined;
}

class Player {
  readonly trace: string[] = [];
  readonly #world: SyncWorld;
  readonly #setup: Setup;
  readonly #written = new WrittenValues();
  readonly #ids: Record<Table, string[]> = { region: [], farmer: [] };
  readonly #copies: { helium?: SchemaCopy; journey?: DeploymentCopy } = {};
  #mode: Mode;
  #run: CurrentRun | undefined;
  #given: { readonly changeLog: string; readonly opLog: string } | undefined;
  /** Whether nothing was written or read since the engine was at rest, except by people while it is stopped. */
  #isAtRest = false;
  #count = 0;
  #configVersion = 1;
  #wasStarted = false;
  #journeyAheadMs = 0;

  constructor(world: SyncWorld, setup: Setup) {
    this.#world = world;
    this.#setup = setup;
    this.#mode = setup.mode;
  }

  async play(action: Action): Promise<void> {
    this.trace.push(`- ${JSON.stringify(action)}`);
    switch (action.do) {
      case 'insert':
        return this.#insert(action.side, action.table, this.#newId(action.table), action.logged);
      case 'insert on both sides':
        return this.#insertOnBothSides();
      case 'edit':
        return this.#edit(action.side, action.table, action.nth, this.#newValue(action), action.logged);
      case 'refer':
        return this.#edit(action.side, 'farmer', action.nth, { region_fk: this.#pick('region', action.to) }, true);
      case 'delete':
        return this.#delete(action.side, action.table, action.nth);
      case 'create again':
        return this.#createAgain(action.side, action.nth);
      case 'rest':
        return this.#rest();
      case 'stop':
        return this.#stop();
      case 'run':
        return this.#runAs(action.mode);
      case 'copy':
        return this.#copy(action.side);
      case 'restore Helium':
        return this.#restoreHelium(action.numbers, action.how);
      case 'restore Journey':
        return this.#restoreJourney(action.numbers);
      case 'empty list':
        return this.#emptyList(action.during);
      case 'move':
        return this.#move(action.direction, action.to);
      case 'compare':
        return this.#compare();
      case 'expire':
        return this.#loseLog(async () => void (await this.#world.deployment.dropOpLog({ keep: action.keep })));
      case 'clear log':
        return this.#loseLog(async () => void (await this.#world.sql('delete from $s.__he_sync_obj_change__')));
      case 'lose state':
        return this.#loseState();
    }
  }

  /** Ends two-way, at rest and compared, and checks everything. */
  async finish(): Promise<void> {
    this.trace.push('- at the end');
    await this.#runAs('both');
    await this.#rest();
    await this.#compare();
    await this.#rest();
  }

  // --- What people do ---

  #newId(table: Table): string {
    const id = `${table === 'region' ? 'a' : 'b'}0000000-0000-4000-8000-${String(this.#ids[table].length + 1).padStart(12, '0')}`;
    this.#ids[table].push(id);
    return id;
  }

  #pick(table: Table, nth: number): string | null {
    const ids = this.#ids[table];
    return ids[nth % Math.max(1, ids.length)] ?? null;
  }

  #newValue({ side, table, column }: Extract<Action, { do: 'edit' }>): Fields {
    this.#count += 1;
    if (column === 'code') return { code: this.#count };
    if (column === 'name' || table === 'farmer') return { name: `name ${this.#count}` };
    return side === 'helium' ? { [heliumOnly]: `extra ${this.#count}` } : { [journeyOnly]: `memo ${this.#count}` };
  }

  async #insert(side: Side, table: Table, id: string, logged: boolean): Promise<void> {
    this.#count += 1;
    const fields = { name: `name ${this.#count}`, code: this.#count };
    if (side === 'helium') await this.#inHelium((db) => insertRow(db, table, id, fields), logged);
    else await this.#world.edit({ method: 'put', object: { type: table, id, ...fields } });
    this.#written.write(`${table}/${id}`, null, fields);
    this.#noteWrite();
  }

  async #insertOnBothSides(): Promise<void> {
    if (this.#wasStarted) return;
    const id = this.#newId('region');
    await this.#insert('helium', 'region', id, true);
    this.#count += 1;
    const fields = { name: `name ${this.#count}`, code: this.#count, [journeyOnly]: `memo ${this.#count}` };
    await this.#world.edit({ method: 'put', object: { type: 'region', id, ...fields } });
    this.#written.write(`region/${id}`, null, fields);
  }

  async #edit(side: Side, table: Table, nth: number, change: Fields, logged: boolean): Promise<void> {
    const id = this.#pick(table, nth);
    const [column = ''] = Object.keys(change);
    if (id === null || !this.#mayEdit(side, column) || change[column] === null) return;
    const before =
      side === 'helium'
        ? await this.#inHelium(async (db) => {
            const row = await lockRow(db, table, id);
            const set = logged ? ', _tstamp_ = now()' : '';
            if (row)
              await db.query(`update ${schema}.${table} set ${column} = $2${set} where _id_ = $1`, [
                id,
                change[column],
              ]);
            return row;
          }, logged)
        : await this.#inJourney({ method: 'patch', object: { type: table, id, ...toJourney(change) } });
    if (before === null) return;
    this.#written.write(`${table}/${id}`, before, change);
    this.#noteWrite();
  }

  /** With one direction off, each side edits its own fields: the sending side would overwrite the other's. */
  #mayEdit(side: Side, column: string): boolean {
    return this.#mode === 'both' || (side === 'journey') === (column === 'code' || column === journeyOnly);
  }

  async #delete(side: Side, table: Table, nth: number): Promise<void> {
    const id = this.#pick(table, nth);
    const isSending = this.#mode === 'both' || (side === 'helium') === (this.#mode === 'to Journey');
    if (id === null || !isSending) return;
    const before =
      side === 'helium'
        ? await this.#inHelium(async (db) => {
            const row = await lockRow(db, table, id);
            await db.query(`delete from ${schema}.${table} where _id_ = $1`, [id]);
            return row;
          }, true)
        : await this.#inJourney({ method: 'delete', object: { type: table, id } });
    if (before === null) return;
    if (this.#mode === 'both') this.#written.delete(`${table}/${id}`, before);
    else this.#written.deleteWholly(`${table}/${id}`);
    this.#noteWrite();
  }

  async #createAgain(side: Side, nth: number): Promise<void> {
    const id = this.#pick('region', nth);
    if (id === null || this.#mode !== 'both') return;
    if (!this.#isAtRest || this.#run === undefined) await this.#rest();
    const { helium, journey } = await this.#read();
    if (!(`region/${id}` in helium || `region/${id}` in journey)) await this.#insert(side, 'region', id, true);
  }

  #noteWrite(): void {
    if (this.#run) this.#isAtRest = false;
  }

  /** Runs a person's transaction; null when PostgreSQL refused it: a deadlock, or a missing parent. */
  async #inHelium<T>(work: (db: PoolClient) => Promise<T>, logged: boolean): Promise<T | null> {
    const { pool } = this.#world.helium;
    try {
      return await inTransaction(pool, async (db) => {
        const result = await work(db);
        if (logged)
          await db.query(
            `insert into ${schema}.__he_sync_transaction_log___current__ (tx_id, tx_tstamp) values (txid_current(), now())`,
          );
        return result;
      });
    } catch (error) {
      if (error instanceof Error && 'code' in error && ['40P01', '23503'].includes(String(error.code))) return null;
      throw error;
    }
  }

  /** Returns the object as the device saw it; null when there is none. */
  async #inJourney(operation: Parameters<SyncWorld['edit']>[0]): Promise<Fields | null> {
    const { type, id } = operation.object;
    // A patch without fields changes nothing, and returns the object in the same transaction.
    const [seen, done] = await this.#world.deployment.device.edit({ method: 'patch', object: { type, id } }, operation);
    return seen?.success && done?.success ? toRow(type, seen.object?.contents ?? {}) : null;
  }

  // --- What the engine does ---

  #start(): RestartingRun {
    const { changeLog, opLog } = this.#given ?? { changeLog: '0', opLog: '0' };
    const change = (config: SyncConfig): SyncConfig => ({
      ...config,
      conflictPolicy: this.#setup.policy,
      enableHeliumToJourney: this.#mode !== 'to Helium',
      enableJourneyToHelium: this.#mode !== 'to Journey',
      heliumToJourney: { ...config.heliumToJourney, changeLogMinVersionAsString: changeLog },
      journeyToHelium: { ...config.journeyToHelium, oplogMinVersionAsString: opLog },
    });
    const run = this.#world.startWithRestarts(change, this.#configVersion);
    const started: CurrentRun = { run, result: undefined };
    run.ended.then(
      (result) => {
        started.result = result;
      },
      (error) => {
        // Everything else is restarted until the run is stopped.
        if (error instanceof LeaseLostError) started.result = error;
      },
    );
    this.#run = started;
    this.#wasStarted = true;
    this.#isAtRest = false;
    return run;
  }

  async #stop(): Promise<void> {
    await this.#run?.run.stop();
    this.#run = undefined;
  }

  async #runAs(mode: Mode): Promise<void> {
    await this.#findGivenVersions();
    if (this.#run && mode === this.#mode) return;
    await this.#stop();
    // Changing the directions is a save.
    if (mode !== this.#mode) this.#configVersion += 1;
    this.#mode = mode;
    this.#start();
  }

  async #findGivenVersions(): Promise<void> {
    const { from } = this.#setup;
    if (this.#given || from === 'zero') return;
    const changeLog = from === 'given' ? await this.#readChangeLogHead() : '0';
    this.#given = { changeLog, opLog: (await this.#world.deployment.takeCopy()).lastSequence };
  }

  /** Lets the engine run until it has nothing to do; follows the advice of every halt. Then checks. */
  async #rest(): Promise<void> {
    await this.#findGivenVersions();
    const remedies = this.#mode === 'both' ? ['save', 'compare'] : [];
    for (let halts = 0; halts < maxHalts; ) {
      if (!this.#run) this.#start();
      const result = await this.#settle();
      if (result !== 'at rest') {
        halts += 1;
        await this.#follow(result);
        continue;
      }
      const differences = await this.#findDifferences();
      if (differences.length === 0) {
        this.#isAtRest = true;
        return this.#check();
      }
      const remedy = remedies.shift();
      if (remedy === undefined) throw new Error(['Both sides differ at rest.', ...differences].join('\n'));
      if (remedy === 'save') await this.#savePaused();
      else await this.#compare();
    }
    throw new Error(`It halts again and again.`);
  }

  /** Waits until nothing is left to do, or the run ends, which it returns. */
  async #settle(): Promise<'at rest' | RunResult | LeaseLostError> {
    const current = this.#run;
    if (!current) return 'at rest';
    let polls = 0;
    let lastPingedMs = this.#world.figures().lastPingedMs;
    current.run.wake();
    const settled = vi.waitUntil(async () => {
      if (current.result) return true;
      if (!(await this.#hasNothingToDo())) polls = 0;
      const { lastPingedMs: pingedMs } = this.#world.figures();
      if (pingedMs === lastPingedMs) return false;
      lastPingedMs = pingedMs;
      polls += 1;
      current.run.wake();
      return polls > restPolls;
    }, wait);
    await settled.catch(async (error) => {
      throw new Error(`It does not come to rest: ${await this.#describe()}`, { cause: error });
    });
    return current.result ?? 'at rest';
  }

  async #hasNothingToDo(): Promise<boolean> {
    const [isToJourney, isToHelium] = [this.#mode !== 'to Helium', this.#mode !== 'to Journey'];
    const { rows } = await this.#world
      .sql(
        `select
           (not $1 or snapshot_to_journey is null
             and change_log_cursor = (select coalesce(max(seq), change_log_cursor) from $s.__he_sync_obj_change__)
             and not exists (select from __portal_sync__.dirty) and not exists (select from ${intentsUnderWay}))
           and (not $2 or snapshot_to_helium is null) and comparison_requested_at is null as "isDone",
           op_log_cursor::text as "opLogCursor"
         from __portal_sync__.run`,
        [isToJourney, isToHelium],
      )
      .catch(() => ({ rows: [] }));
    if (!rows[0]?.isDone) return false;
    const { opLog } = await this.#world.deployment.takeCopy();
    const sequences: { sequence: number }[] = JSON.parse(opLog);
    const last = Math.max(0, ...sequences.map(({ sequence }) => sequence));
    return !isToHelium || last === 0 || last === Number(rows[0].opLogCursor);
  }

  /** Does what the halt advises: gives the default answer, or continues from version 0. */
  async #follow(ended: RunResult | LeaseLostError): Promise<void> {
    this.#run = undefined;
    const { pool } = this.#world.helium;
    const text =
      ended instanceof LeaseLostError ? ended.message : ended.outcome === 'halted' ? ended.reason : 'stopped';
    this.trace.push(`    halted: ${text}`);
    if (ended instanceof LeaseLostError) return;
    const stateId = await this.#readStateId();
    const asked = await readQuestion(pool, stateId);
    if (asked?.answer === null) {
      const [answer = 'keep-both'] = getAnswers(asked.question);
      this.trace.push(`    answered: ${answer} to ${JSON.stringify(asked.question)}`);
      await saveAnswer(pool, stateId, { questionId: asked.question.id, answer, fence: this.#world.nextFence() });
      return;
    }
    const [, version] = /Continue from (?:version )?(\d+)/.exec(text) ?? [];
    if (version !== undefined) {
      const direction = /op-log/.test(text) ? 'journey-to-helium' : 'helium-to-journey';
      this.trace.push(`    continued from version ${version}, ${direction}`);
      await saveCursor(pool, stateId, { fence: this.#world.nextFence(), direction, version });
    } else throw new Error(`It halts without advice: ${text}`);
  }

  /** Saves the integration when its log says that a table waits for that. */
  async #savePaused(): Promise<void> {
    if (!this.#world.log.some((line) => /until its integration is saved/.test(line))) return;
    this.trace.push('    saved');
    this.#configVersion += 1;
    await this.#stop();
  }

  /** Compares both sides, as is done every day. A halt is left for the next rest. */
  async #compare(): Promise<void> {
    if (!this.#run) this.#start();
    const current = this.#run;
    if ((await this.#settle()) !== 'at rest') return;
    const before = await this.#countComparisons();
    await requestComparison(this.#world.helium.pool, await this.#readStateId());
    current?.run.wake();
    if (this.#mode !== 'both') return;
    this.trace.push('    compared');
    await vi.waitUntil(async () => current?.result || (await this.#countComparisons()) === before + 2, wait);
  }

  async #countComparisons(): Promise<number> {
    const { rows } = await this.#world.sql('select count(*)::int as count from __portal_sync__.comparison');
    return rows[0]?.count ?? 0;
  }

  // --- What operators do ---

  async #copy(side: Side): Promise<void> {
    if (side === 'journey') this.#copies.journey = await this.#world.deployment.takeCopy();
    else this.#copies.helium = await this.#takeHeliumCopy();
  }

  async #takeHeliumCopy(): Promise<SchemaCopy> {
    return inTransaction(this.#world.helium.pool, async (db) => {
      await db.query('set transaction isolation level repeatable read');
      return takeSchemaCopy(db, [schema, '__portal_sync__']);
    });
  }

  async #restoreHelium(numbers: Numbers, how: 'rows' | 'schema' | 'schema, noticed' | 'database'): Promise<void> {
    const copy = this.#copies.helium;
    if (!copy || (how === 'database' && !copy.tables.some(isEngineTable))) return;
    // Lists that are restored, too, must not lose what the engine does at this moment.
    if (how === 'database' && this.#run && !this.#isAtRest) await this.#rest();
    const before = await this.#read();
    const head = Number(await this.#readChangeLogHead());
    const { pool } = this.#world.helium;
    const restored: SchemaCopy =
      how === 'database'
        ? copy
        : {
            tables: copy.tables.filter((table) => !isEngineTable(table)),
            sequences: copy.sequences.filter((sequence) => !isEngineTable(sequence)),
          };
    const isDropped = how === 'schema' || how === 'schema, noticed';
    if (isDropped) await this.#world.sql('drop schema $s cascade');
    if (how === 'schema, noticed') await this.#waitUntilNoticed();
    const added: { id: string; fields: Fields }[] = [];
    await inTransaction(pool, async (db) => {
      if (isDropped) await db.query(this.#world.helium.ddl);
      // The engine writes rows only while it holds this lock.
      else if (await this.#hasState()) await db.query('select from __portal_sync__.run for update');
      await restoreSchemaCopy(db, restored);
      const [first, ...next] = toNextNumbers(numbers, getLastNumber(copy), head);
      // Transactions that were rolled back leave gaps in between.
      for (const number of first === undefined ? [] : [...new Set([first, next.at(-1) ?? first])]) {
        await db.query(`select setval('${schema}.__he_sync_change_seq__', $1, false)`, [number]);
        this.#count += 1;
        const one = { id: this.#newId('region'), fields: { name: `name ${this.#count}`, code: this.#count } };
        await insertRow(db, 'region', one.id, one.fields);
        added.push(one);
      }
    });
    this.#isAtRest = false;
    this.#written.retain({ ...before, helium: toRows(copy), lists: (await this.#readLists()).values });
    for (const { id, fields } of added) this.#written.write(`region/${id}`, null, fields);
  }

  /** Waits until the engine has noticed that the tables are gone. */
  async #waitUntilNoticed(): Promise<void> {
    const { log } = this.#world;
    const current = this.#run;
    const seen = log.length;
    if (!current) return;
    await vi.waitUntil(
      () =>
        current.result ||
        current.run.interruptions.length > 0 ||
        log.slice(seen).some((line) => !line.startsWith('INFO')),
      wait,
    );
  }

  async #restoreJourney(numbers: Numbers): Promise<void> {
    const copy = this.#copies.journey;
    if (!copy) return;
    const before = await this.#read();
    const { deployment } = this.#world;
    const head = Number((await deployment.takeCopy()).lastSequence);
    await deployment.restoreCopy(copy);
    // A restore takes its time: what follows is never of the same second as what it took away.
    this.#journeyAheadMs += 3_000;
    deployment.setClockSkew(this.#journeyAheadMs);
    this.#isAtRest = false;
    this.#written.retain({ ...before, journey: toObjects(copy), lists: (await this.#readLists()).values });
    for (const _number of toNextNumbers(numbers, Number(copy.lastSequence), head))
      await this.#insert('journey', 'region', this.#newId('region'), true);
  }

  async #emptyList(during: 'comparison' | 'version 0'): Promise<void> {
    // What was never read to its end may not be known: an empty list may then be right.
    if (this.#mode !== 'both' || this.#setup.from !== 'zero') return;
    await this.#rest();
    if (during === 'version 0') await this.#move('journey-to-helium', 'zero');
    this.#world.journey.faults.set({ mode: 'empty-list', path: '/objects/' });
    try {
      if (during === 'comparison') await this.#compare();
      else await this.#readInFull();
    } finally {
      this.#world.journey.faults.clear();
    }
    this.#isAtRest = false;
  }

  /** Waits only until Journey's objects are read: nothing comes to rest while the list is wrong. */
  async #readInFull(): Promise<void> {
    const { log } = this.#world;
    const seen = log.length;
    this.#start();
    const current = this.#run;
    const isRead = () => log.slice(seen).some((line) => /Journey → Helium: full read complete/.test(line));
    await vi.waitUntil(() => current?.result || isRead(), wait);
  }

  async #move(direction: SyncDirection, to: 'zero' | 'half'): Promise<void> {
    await this.#stop();
    const { pool } = this.#world.helium;
    const { rows } = await this.#world
      .sql(
        'select state_id, change_log_cursor::text as "changeLog", op_log_cursor::text as "opLog" from __portal_sync__.run',
      )
      .catch(() => ({ rows: [] }));
    const [row] = rows;
    if (!row) return;
    const cursor = Number(direction === 'helium-to-journey' ? row.changeLog : row.opLog);
    const version = String(to === 'zero' ? 0 : Math.floor(cursor / 2));
    await saveCursor(pool, row.state_id, { fence: this.#world.nextFence(), direction, version });
    this.#written.retain(await this.#readAll());
  }

  async #loseLog(lose: () => Promise<void>): Promise<void> {
    // Otherwise an edit that is being overwritten might exist in that log only.
    if (!this.#isAtRest) await this.#rest();
    await lose();
    this.#isAtRest = false;
    this.#written.retain(await this.#readAll());
  }

  async #loseState(): Promise<void> {
    await this.#stop();
    await this.#world.sql('drop schema if exists __portal_sync__ cascade');
    this.#isAtRest = false;
    this.#written.retain(await this.#readAll());
  }

  // --- What is where ---

  async #check(): Promise<void> {
    const missing = this.#written.findMissing(await this.#readAll());
    if (missing.length > 0) throw new Error(missing.join('\n'));
  }

  async #findDifferences(): Promise<string[]> {
    const isComparable = this.#mode === 'both';
    return isComparable ? findDifferences(await this.#read(), (await this.#readLists()).held) : [];
  }

  async #read(): Promise<{ helium: Rows; journey: Rows }> {
    return { helium: await this.#world.heliumRows(), journey: toObjects(await this.#world.deployment.takeCopy()) };
  }

  async #readAll(): Promise<Contents> {
    return { ...(await this.#read()), lists: (await this.#readLists()).values };
  }

  async #readLists(): Promise<{ values: Map<string, Set<unknown>>; held: Set<string> }> {
    const values = new Map<string, Set<unknown>>();
    const held = await this.#world.held().catch(() => []);
    for (const { table, id, helium, journey } of [...held, ...(await this.#world.conflicts().catch(() => []))]) {
      const found = values.get(`${table}/${id}`) ?? new Set();
      values.set(`${table}/${id}`, found);
      for (const value of [helium, journey])
        if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) found.add(one);
        else found.add(value);
    }
    return { values, held: new Set(held.map(({ table, id }) => `${table}/${id}`)) };
  }

  async #readChangeLogHead(): Promise<string> {
    const { rows } = await this.#world.sql('select coalesce(max(seq), 0)::text as head from $s.__he_sync_obj_change__');
    return rows[0].head;
  }

  async #hasState(): Promise<boolean> {
    const { rows } = await this.#world.sql(`select to_regclass('__portal_sync__.run') is not null as "hasState"`);
    return rows[0].hasState;
  }

  async #readStateId(): Promise<number> {
    const { rows } = await this.#world.sql('select state_id from __portal_sync__.run');
    return rows[0].state_id;
  }

  async #describe(): Promise<string> {
    const { rows } = await this.#world
      .sql('select * from __portal_sync__.run')
      .catch((error) => ({ rows: [{ error: String(error) }] }));
    const { interruptions } = this.#run?.run ?? { interruptions: [] };
    return JSON.stringify({
      run: { ...rows[0], mapping: undefined },
      interruptions: interruptions.slice(-2),
      log: this.#world.log.slice(-6),
    });
  }
}

/**
 * Returns the numbers of the log entries that follow a restore, up to the one that the log had
 * reached before, or the next one.
 */
function toNextNumbers(numbers: Numbers, copied: number, head: number): number[] {
  const last = { behind: copied, equal: head, past: head + 1 }[numbers];
  return Array.from({ length: Math.max(0, last - copied) }, (_, index) => copied + 1 + index);
}

async function insertRow(db: PoolClient, table: Table, id: string, { name, code }: Fields): Promise<void> {
  await db.query(`insert into ${schema}.${table} (_id_, _tstamp_, name, code) values ($1, now(), $2, $3)`, [
    id,
    name,
    code,
  ]);
}

async function lockRow(db: PoolClient, table: Table, id: string): Promise<Fields | null> {
  const { rows } = await db.query(`select * from ${schema}.${table} where _id_ = $1 for update`, [id]);
  return rows[0] ?? null;
}

function getLastNumber({ sequences }: SchemaCopy): number {
  const { lastValue, isCalled } = sequences.find(({ name }) => name === `${schema}.__he_sync_change_seq__`) ?? {};
  return Number(lastValue ?? 1) - (isCalled ? 0 : 1);
}

const isEngineTable = ({ name }: { readonly name: string }) => name.startsWith('__portal_sync__.');

const toJourney = ({ region_fk, ...fields }: Fields): Fields =>
  region_fk === undefined ? fields : { region_id: region_fk };

function toRow(table: string, contents: Readonly<Record<string, unknown>>): Fields {
  const { region_id, ...fields } = contents as Record<string, Value>;
  const own: Fields = table === 'region' ? { memo: null } : { region_fk: region_id ?? null };
  return { name: null, code: null, ...own, ...fields };
}

function toObjects({ objects }: DeploymentCopy): Rows {
  const all: { type: string; id: string; contents: Record<string, unknown> }[] = JSON.parse(objects);
  return Object.fromEntries(all.map(({ type, id, contents }) => [`${type}/${id}`, toRow(type, contents)]));
}

function toRows({ tables: copied }: SchemaCopy): Rows {
  return Object.fromEntries(
    copied.flatMap(({ name, rows }) => {
      const [, table = ''] = name.split('.');
      if (!(table in tables)) return [];
      const all: ({ _id_: string } & Fields)[] = JSON.parse(rows);
      return all.map((row) => [`${table}/${row._id_}`, row]);
    }),
  );
}
