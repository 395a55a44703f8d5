import type { ChangeLogPage } from '../../helium/helium-end.ts';
import { KeyMap } from '../../record/record-key.ts';
import { readDirty } from '../../sync-state/dirty-records.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { Halt } from '../shared/halt.ts';
import { reportLockHolder } from '../shared/report-lock-holder.ts';
import { pageSize, type SyncContext } from '../shared/sync-context.ts';
import { sendAndReport } from './send-and-report.ts';
import { discardPage, type PlannedPage, planPage, sendPage } from './send-page.ts';

interface Ahead {
  readonly context: SyncContext;
  readonly page: ChangeLogPage;
  /** null: it is read, and has yet to be planned. */
  readonly plan: PlannedPage | null;
}

export class ChangeLogPages {
  readonly #active: ActiveRun;
  #ahead: Ahead | null = null;

  constructor(active: ActiveRun) {
    this.#active = active;
  }

  /** Whether something is planned that has to be sent before anything else is planned. */
  get isPlanned(): boolean {
    return this.#ahead !== null && this.#ahead.plan !== null;
  }

  /** To be called before anything else is planned, or the mapping is another. */
  async forget(): Promise<void> {
    const ahead = this.#ahead;
    this.#ahead = null;
    if (ahead?.plan) await discardPage(ahead.context, ahead.plan);
  }

  /** Answers whether there is more to do at once. */
  async carryNext(): Promise<boolean> {
    const { run, at } = this.#active;
    const cursor = at.changeLogCursor;
    if (this.#ahead && this.#ahead.context !== this.#active.context) await this.forget();
    const { context, page, plan } = this.#ahead ?? {
      context: this.#active.context,
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
      this.#active.waitingSinceMs ??= Date.now();
      run.publish({ heliumToJourneyWaitingSinceMs: this.#active.waitingSinceMs });
    }
    if (page.keys.length > 0 || page.cursor !== cursor) await this.#carry(context, page, plan);
    else this.#arrived(page);
    return !page.isLast || page.keys.length > 0;
  }

  async #carry(context: SyncContext, page: ChangeLogPage, planned: PlannedPage | null): Promise<void> {
    const done = { changeLogCursor: page.cursor };
    const { signal } = this.#active.run;
    const ending = new AbortController();
    const end = () => ending.abort();
    signal.addEventListener('abort', end);
    let next: Promise<Ahead | null> = Promise.resolve(null);
    try {
      await sendAndReport(this.#active, async () => {
        const plan = planned ?? (await planPage(context, page.keys, done));
        if (!page.isLast) next = this.#lookAhead(context, page, plan, ending.signal);
        return sendPage(context, plan, done);
      });
      this.#arrived(page);
      this.#ahead = await next;
    } catch (error) {
      end();
      this.#ahead = await next;
      await this.forget().catch(() => undefined);
      throw error;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  #arrived({ cursor, isLast }: ChangeLogPage): void {
    const active = this.#active;
    active.at = { ...active.at, changeLogCursor: cursor };
    if (isLast) active.waitingSinceMs = null;
    active.run.publish({
      changeLogVersion: cursor,
      heliumSyncStatus: isLast ? 'Live' : 'Catching up',
      ...(isLast && { heliumToJourneyWaitingSinceMs: null }),
    });
  }

  /** Never fails: what cannot be had ahead is asked for again when it is its turn. */
  async #lookAhead(
    context: SyncContext,
    page: ChangeLogPage,
    plan: PlannedPage,
    signal: AbortSignal,
  ): Promise<Ahead | null> {
    try {
      const next = await this.#read(page.cursor, signal);
      if (next.historyLost) return null;
      const underWay = new KeyMap<true>();
      for (const { key } of plan.planned) underWay.set(key, true);
      const dirty = await readDirty(context.helium.pool, context.stateId, 1);
      if (dirty.length > 0 || next.keys.some((key) => underWay.has(key))) return { context, page: next, plan: null };
      signal.throwIfAborted();
      return { context, page: next, plan: await this.#active.run.slot(() => planPage(context, next.keys, null)) };
    } catch {
      return null;
    }
  }

  #read(cursor: string, signal: AbortSignal): Promise<ChangeLogPage> {
    const { run, context } = this.#active;
    return context.helium.readChangeLog({ cursor, limit: pageSize, signal, onHeld: reportLockHolder(run) });
  }
}
