import type { ChangeLogPage } from '../../helium/helium-gateway.ts';
import { KeyMap } from '../../record/record-key.ts';
import { readDirty } from '../../sync-state/dirty-records.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { reportLockHolder } from '../shared/report-lock-holder.ts';
import { pageSize, type SyncContext } from '../shared/sync-context.ts';
import { discardPage, type PlannedPage, planPage } from './send-page.ts';

export interface PrefetchedPage {
  readonly context: SyncContext;
  readonly page: ChangeLogPage;
  /** null: it is read, and has yet to be planned. */
  readonly plan: PlannedPage | null;
}

interface PageUnderWay {
  readonly context: SyncContext;
  readonly page: ChangeLogPage;
  readonly plan: PlannedPage;
}

/** Reads and plans the next page of the change log while the one before it is sent. */
export class Prefetch {
  readonly #active: ActiveRun;
  #ending = new AbortController();
  #next: Promise<PrefetchedPage | null> = Promise.resolve(null);

  constructor(active: ActiveRun) {
    this.#active = active;
  }

  start(underWay: PageUnderWay): void {
    const { signal } = this.#active.run;
    const ending = new AbortController();
    const end = () => ending.abort();
    signal.addEventListener('abort', end);
    this.#ending = ending;
    this.#next = this.#fetch(underWay, ending.signal).finally(() => signal.removeEventListener('abort', end));
  }

  /** The next page; null when none was started, or it was not available. */
  async take(): Promise<PrefetchedPage | null> {
    const next = await this.#next;
    this.#next = Promise.resolve(null);
    return next;
  }

  /** To be called when the page before it was not sent. */
  async discard(): Promise<void> {
    this.#ending.abort();
    await discardPrefetched(await this.take());
  }

  /** Never rejects: a page that is not available ahead is requested again when it is its turn. */
  async #fetch({ context, page, plan }: PageUnderWay, signal: AbortSignal): Promise<PrefetchedPage | null> {
    try {
      const next = await readChangeLogPage(this.#active, context, page.cursor, signal);
      if (next.historyLost) return null;
      const keysUnderWay = new KeyMap<true>();
      for (const { key } of plan.planned) keysUnderWay.set(key, true);
      const dirty = await readDirty(context.helium.pool, context.stateId, 1);
      if (dirty.length > 0 || next.keys.some((key) => keysUnderWay.has(key)))
        return { context, page: next, plan: null };
      signal.throwIfAborted();
      return { context, page: next, plan: await this.#active.run.withSlot(() => planPage(context, next.keys, null)) };
    } catch {
      return null;
    }
  }
}

/** Takes back what was planned. */
export async function discardPrefetched(next: PrefetchedPage | null): Promise<void> {
  if (next?.plan) await discardPage(next.context, next.plan);
}

export function readChangeLogPage(
  { run }: ActiveRun,
  { helium }: SyncContext,
  cursor: string,
  signal: AbortSignal,
): Promise<ChangeLogPage> {
  return helium.readChangeLog({ cursor, limit: pageSize, signal, onHeld: reportLockHolder(run) });
}
