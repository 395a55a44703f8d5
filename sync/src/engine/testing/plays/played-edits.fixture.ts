/** What people do to the records of a play, in Helium and on devices. */

import type { Side } from '@portal/contract/sync/recovery';
import { inTransaction, type PoolClient } from '@portal/kit/postgres/pool';
import { schema } from '../../../helium/helium-gateway.fixture.ts';
import type { Fields } from '../../../record/fields.ts';
import type { SyncWorld } from '../sync-world.fixture.ts';
import type { Action, Table } from './play-actions.fixture.ts';
import { type PlayedContents, toRow } from './played-contents.fixture.ts';
import type { PlayedEngine } from './played-engine.fixture.ts';
import { heliumOnly, journeyOnly } from './written-values.fixture.ts';

export class PlayedEdits {
  readonly #world: SyncWorld;
  readonly #engine: PlayedEngine;
  readonly #contents: PlayedContents;
  readonly #ids: Record<Table, string[]> = { region: [], farmer: [] };
  #count = 0;

  constructor(world: SyncWorld, engine: PlayedEngine, contents: PlayedContents) {
    this.#world = world;
    this.#engine = engine;
    this.#contents = contents;
  }

  newId(table: Table): string {
    const id = `${table === 'region' ? 'a' : 'b'}0000000-0000-4000-8000-${String(this.#ids[table].length + 1).padStart(12, '0')}`;
    this.#ids[table].push(id);
    return id;
  }

  /** Returns values that were never written before. */
  newFields(): { readonly name: string; readonly code: number } {
    this.#count += 1;
    return { name: `name ${this.#count}`, code: this.#count };
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

  async insert(side: Side, table: Table, id: string, logged: boolean): Promise<void> {
    const fields = this.newFields();
    if (side === 'helium') await this.#inHelium((db) => insertRow(db, table, id, fields), logged);
    else await this.#world.edit({ method: 'put', object: { type: table, id, ...fields } });
    this.#contents.written.write(`${table}/${id}`, null, fields);
    this.#noteWrite();
  }

  async insertOnBothSides(): Promise<void> {
    if (this.#engine.wasStarted) return;
    const id = this.newId('region');
    await this.insert('helium', 'region', id, true);
    const fields = { ...this.newFields(), [journeyOnly]: `memo ${this.#count}` };
    await this.#world.edit({ method: 'put', object: { type: 'region', id, ...fields } });
    this.#contents.written.write(`region/${id}`, null, fields);
  }

  async edit(action: Extract<Action, { do: 'edit' }>): Promise<void> {
    const { side, table, nth, logged } = action;
    await this.#edit(side, table, nth, this.#newValue(action), logged);
  }

  async refer({ side, nth, to }: Extract<Action, { do: 'refer' }>): Promise<void> {
    await this.#edit(side, 'farmer', nth, { region_fk: this.#pick('region', to) }, true);
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
    if (this.#isExpected(`${table}/${id}`)) this.#contents.written.write(`${table}/${id}`, before, change);
    this.#noteWrite();
  }

  /** With one direction off, a deletion also takes what the other side writes before it arrives. */
  #isExpected(key: string): boolean {
    return this.#engine.mode === 'both' || this.#contents.written.isAlive(key);
  }

  /**
   * With one direction off, each side edits its own fields: the sending side would overwrite the
   * other's.
   */
  #mayEdit(side: Side, column: string): boolean {
    return this.#engine.mode === 'both' || (side === 'journey') === (column === 'code' || column === journeyOnly);
  }

  async delete(side: Side, table: Table, nth: number): Promise<void> {
    const id = this.#pick(table, nth);
    const isSending = this.#engine.mode === 'both' || (side === 'helium') === (this.#engine.mode === 'to Journey');
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
    if (this.#engine.mode === 'both') this.#contents.written.delete(`${table}/${id}`, before);
    else this.#contents.written.deleteWholly(`${table}/${id}`);
    this.#noteWrite();
  }

  /** Edits a region in Helium, if it is there, and creates another. Returns the new id. */
  async writeForCall(nth: number): Promise<string> {
    await this.edit({ do: 'edit', side: 'helium', table: 'region', nth, column: 'name', logged: true });
    const id = this.newId('region');
    await this.insert('helium', 'region', id, true);
    return id;
  }

  async createAgain(side: Side, nth: number): Promise<void> {
    const id = this.#pick('region', nth);
    if (id === null || this.#engine.mode !== 'both') return;
    if (!this.#engine.isAtRest || !this.#engine.isRunning) await this.#engine.rest();
    const { helium, journey } = await this.#contents.read();
    if (!(`region/${id}` in helium || `region/${id}` in journey)) await this.insert(side, 'region', id, true);
  }

  #noteWrite(): void {
    if (this.#engine.isRunning) this.#engine.notAtRest();
  }

  /**
   * Runs a person's transaction; null when PostgreSQL refused it: a deadlock, or a missing parent.
   */
  async #inHelium<T>(work: (db: PoolClient) => Promise<T>, logged: boolean): Promise<T | null> {
    const { pool } = this.#world.helium;
    try {
      return await inTransaction(pool, async (db) => {
        const result = await work(db);
        if (logged)
          await db.query(
            `insert into ${schema}.__he_sync_transaction_log__ (tx_id, tx_tstamp, seq_before, seq_after) values (txid_current(), now(), 0, 0)`,
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
}

export async function insertRow(db: PoolClient, table: Table, id: string, { name, code }: Fields): Promise<void> {
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

const toJourney = ({ region_fk, ...fields }: Fields): Fields =>
  region_fk === undefined ? fields : { region_id: region_fk };
