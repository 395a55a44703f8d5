/** What operators do to both sides of a play: backups, restores, lost logs, versions moved back. */
import type { SyncDirection } from '@portal/contract/sync/records';
import type { Side } from '@portal/contract/sync/recovery';
import { inTransaction } from '@portal/kit/postgres/pool';
import { restoreSchemaCopy, type SchemaCopy } from '@portal/kit/postgres/schema-copy.fixture';
import type { DeploymentCopy } from '@portal/simulators/journey/simulator';
import { schema } from '../../../helium/helium-gateway.fixture.ts';
import type { Fields } from '../../../record/fields.ts';
import { saveCursor } from '../../../sync-state/operations.store.ts';
import { prepareState } from '../../../sync-state/schema.ts';
import { backUpHelium, hasState, restoreHeliumRows } from '../backups.fixture.ts';
import type { SyncWorld } from '../sync-world.fixture.ts';
import type { Action, Numbers, Setup } from './play-actions.fixture.ts';
import { type PlayedContents, toObjects, toRows } from './played-contents.fixture.ts';
import { insertRow, type PlayedEdits } from './played-edits.fixture.ts';
import type { PlayedEngine } from './played-engine.fixture.ts';

export class PlayedRestores {
  readonly #world: SyncWorld;
  readonly #setup: Setup;
  readonly #engine: PlayedEngine;
  readonly #edits: PlayedEdits;
  readonly #contents: PlayedContents;
  readonly #copies: { helium?: SchemaCopy; journey?: DeploymentCopy } = {};
  #journeyAheadMs = 0;

  constructor(
    world: SyncWorld,
    setup: Setup,
    parts: { readonly engine: PlayedEngine; readonly edits: PlayedEdits; readonly contents: PlayedContents },
  ) {
    this.#world = world;
    this.#setup = setup;
    this.#engine = parts.engine;
    this.#edits = parts.edits;
    this.#contents = parts.contents;
  }

  async copy(side: Side): Promise<void> {
    if (side === 'journey') this.#copies.journey = await this.#world.deployment.takeCopy();
    else this.#copies.helium = await backUpHelium(this.#world);
  }

  async restoreHelium(numbers: Numbers, how: Extract<Action, { do: 'restore Helium' }>['how']): Promise<void> {
    const copy = this.#copies.helium;
    if (!copy || (how === 'database' && !hasState(copy))) return;
    // Lists that are restored, too, must not lose what the engine does at this moment.
    if (how === 'database' && this.#engine.isRunning && !this.#engine.isAtRest) await this.#engine.rest();
    const before = await this.#contents.read();
    const head = Number(await this.#engine.readChangeLogHead());
    const { pool } = this.#world.helium;
    const isDropped = how === 'schema' || how === 'schema, noticed';
    if (isDropped) await this.#world.sql('drop schema $s cascade');
    if (how === 'schema, noticed') await this.#engine.waitUntilNoticed();
    const added: { id: string; fields: Fields }[] = [];
    await inTransaction(pool, async (db) => {
      if (isDropped) await db.query(this.#world.helium.ddl);
      // It may have been lost since the copy was taken.
      if (how === 'database') await prepareState(db);
      await (how === 'database' ? restoreSchemaCopy(db, copy) : restoreHeliumRows(db, copy));
      const [first, ...next] = toNextNumbers(numbers, getLastNumber(copy), head);
      // Transactions that were rolled back leave gaps in between.
      for (const number of first === undefined ? [] : [...new Set([first, next.at(-1) ?? first])]) {
        await db.query(`select setval('${schema}.__he_sync_change_seq__', $1, false)`, [number]);
        const one = { id: this.#edits.newId('region'), fields: this.#edits.newFields() };
        await insertRow(db, 'region', one.id, one.fields);
        added.push(one);
      }
    });
    this.#engine.notAtRest();
    await this.#contents.retain({ ...before, helium: toRows(copy) });
    for (const { id, fields } of added) this.#contents.written.write(`region/${id}`, null, fields);
  }

  async restoreJourney(numbers: Numbers): Promise<void> {
    const copy = this.#copies.journey;
    if (!copy) return;
    const before = await this.#contents.read();
    const { deployment } = this.#world;
    const head = Number((await deployment.takeCopy()).lastSequence);
    await deployment.restoreCopy(copy);
    // A restore takes its time: what follows is never of the same second as what it took away.
    this.#journeyAheadMs += 3_000;
    deployment.setClockSkew(this.#journeyAheadMs);
    this.#engine.notAtRest();
    await this.#contents.retain({ ...before, journey: toObjects(copy) });
    for (const _number of toNextNumbers(numbers, Number(copy.lastSequence), head))
      await this.#edits.insert('journey', 'region', this.#edits.newId('region'), true);
  }

  async emptyList(during: 'comparison' | 'version 0'): Promise<void> {
    // What was never read to its end may not be known: an empty list may then be right.
    if (this.#engine.mode !== 'both' || this.#setup.from !== 'zero') return;
    await this.#engine.rest();
    if (during === 'version 0') await this.move('journey-to-helium', 'zero');
    this.#world.journey.faults.set({ mode: 'empty-list', path: '/objects/' });
    try {
      if (during === 'comparison') await this.#engine.compare();
      else await this.#engine.readInFull();
    } finally {
      this.#world.journey.faults.clear();
    }
    this.#engine.notAtRest();
  }

  async move(direction: SyncDirection, to: 'zero' | 'half'): Promise<void> {
    await this.#engine.stop();
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
    await this.#contents.retain();
  }

  async expireOpLog(keep: number): Promise<void> {
    await this.#loseLog(() => this.#world.deployment.dropOpLog({ keep }));
  }

  async clearChangeLog(): Promise<void> {
    await this.#loseLog(() => this.#world.sql('delete from $s.__he_sync_obj_change__'));
  }

  async #loseLog(lose: () => Promise<unknown>): Promise<void> {
    // Otherwise an edit that is being overwritten might exist in that log only.
    if (!this.#engine.isAtRest) await this.#engine.rest();
    await lose();
    this.#engine.notAtRest();
    await this.#contents.retain();
  }

  async loseState(): Promise<void> {
    await this.#engine.stop();
    await this.#world.sql('drop schema if exists __portal_sync__ cascade');
    this.#engine.notAtRest();
    await this.#contents.retain();
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

function getLastNumber({ sequences }: SchemaCopy): number {
  const { lastValue, isCalled } = sequences.find(({ name }) => name === `${schema}.__he_sync_change_seq__`) ?? {};
  return Number(lastValue ?? 1) - (isCalled ? 0 : 1);
}
