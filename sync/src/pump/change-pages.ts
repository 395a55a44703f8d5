/**
 * The change log of one running integration, page by page. While one page is sent, the next is read and planned:
 *
 *   page 1   read ─ plan ─ send ───────── answered, cursor moved
 *   page 2                   read ─ plan ─┘ send ───────── answered, cursor moved
 *
 * Whatever is planned ahead is sent before anything else is planned: that would be newer, and be taken back by it. So
 * nothing is planned ahead of a record that is under way, or while other records are dirty. What is planned and not sent
 * when something fails is forgotten; killed then, it is as if nobody had answered for it.
 */

import { KeyMap } from '../engine/record-key.ts';
import { explainHolder } from '../helium/explain-holder.ts';
import type { ChangeLogPage, HorizonHolder } from '../helium/helium-end.ts';
import type { Run } from '../integrations/run.ts';
import { readDirty } from '../state/dirty-store.ts';
import { forgetPage, type PlannedPage, planPage, sendPage } from './carry-to-journey.ts';
import type { IntegrationRun } from './integration-run.ts';
import { Halt, PAGE, type Pump } from './pump.ts';
import { carryAndTell } from './tell-carried.ts';

interface Ahead {
  readonly pump: Pump;
  readonly page: ChangeLogPage;
  /** null: it is read, and has yet to be planned. */
  readonly plan: PlannedPage | null;
}

export class ChangePages {
  readonly #on: IntegrationRun;
  #ahead: Ahead | null = null;

  constructor(on: IntegrationRun) {
    this.#on = on;
  }

  /** Whether something is planned that has to be sent before anything else is planned. */
  get isPlanned(): boolean {
    return this.#ahead !== null && this.#ahead.plan !== null;
  }

  /** To be called before anything else is planned, or the mapping is another. */
  async forget(): Promise<void> {
    const ahead = this.#ahead;
    this.#ahead = null;
    if (ahead?.plan) await forgetPage(ahead.pump, ahead.plan);
  }

  /** Answers whether there is more to do at once. */
  async carryNext(): Promise<boolean> {
    const { run, at } = this.#on;
    const cursor = at.changeLogCursor;
    if (this.#ahead && this.#ahead.pump !== this.#on.pump) await this.forget();
    const { pump, page, plan } = this.#ahead ?? {
      pump: this.#on.pump,
      page: await this.#read(cursor, run.signal),
      plan: null,
    };
    this.#ahead = null;
    if (page.historyLost) {
      throw new Halt(
        `Helium's change log ends before entry ${cursor}, which was read already: its database, or a part of it, was restored. Continue from version 0 to read everything anew.`,
        `change log ${cursor}`,
      );
    }
    if (page.keys.length > 0) {
      this.#on.waitingSinceMs ??= Date.now();
      run.publish({ heliumToJourneyWaitingSinceMs: this.#on.waitingSinceMs });
    }
    if (page.keys.length > 0 || page.cursor !== cursor) await this.#carry(pump, page, plan);
    else this.#arrived(page);
    return !page.isLast || page.keys.length > 0;
  }

  async #carry(pump: Pump, page: ChangeLogPage, planned: PlannedPage | null): Promise<void> {
    const done = { changeLogCursor: page.cursor };
    const { signal } = this.#on.run;
    const ending = new AbortController();
    const end = () => ending.abort();
    signal.addEventListener('abort', end);
    let next: Promise<Ahead | null> = Promise.resolve(null);
    try {
      await carryAndTell(this.#on, async () => {
        const plan = planned ?? (await planPage(pump, page.keys, done));
        if (!page.isLast) next = this.#lookAhead(pump, page, plan, ending.signal);
        return sendPage(pump, plan, done);
      });
      this.#arrived(page);
      this.#ahead = await next;
    } catch (problem) {
      end();
      this.#ahead = await next;
      await this.forget().catch(() => undefined);
      throw problem;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  #arrived({ cursor, isLast }: ChangeLogPage): void {
    const on = this.#on;
    on.at = { ...on.at, changeLogCursor: cursor };
    if (isLast) on.waitingSinceMs = null;
    on.run.publish({
      changeLogVersion: cursor,
      heliumSyncStatus: isLast ? 'Live' : 'Catching up',
      ...(isLast && { heliumToJourneyWaitingSinceMs: null }),
    });
  }

  /** Never fails: what cannot be had ahead is asked for again when it is its turn. */
  async #lookAhead(pump: Pump, page: ChangeLogPage, plan: PlannedPage, signal: AbortSignal): Promise<Ahead | null> {
    try {
      const next = await this.#read(page.cursor, signal);
      if (next.historyLost) return null;
      const underWay = new KeyMap<true>();
      for (const { key } of plan.planned) underWay.set(key, true);
      const dirty = await readDirty(pump.helium.pool, pump.run, 1);
      if (dirty.length > 0 || next.keys.some((key) => underWay.has(key))) return { pump, page: next, plan: null };
      signal.throwIfAborted();
      return { pump, page: next, plan: await this.#on.run.slot(() => planPage(pump, next.keys, null)) };
    } catch {
      return null;
    }
  }

  #read(cursor: string, signal: AbortSignal): Promise<ChangeLogPage> {
    const { run, pump } = this.#on;
    return pump.helium.readChangeLog({ cursor, limit: PAGE, signal, onHeld: tellHolder(run) });
  }
}

/** Shows who keeps the change log from being read further. */
export function tellHolder(run: Pick<Run, 'publish'>): (holder: HorizonHolder | null) => void {
  return (holder) => {
    const horizonHeldBy = holder && explainHolder(holder, Date.now());
    run.publish({ horizonHeldBy, ...(holder && { heliumToJourneyWaitingSinceMs: Date.parse(holder.since) }) });
  };
}
