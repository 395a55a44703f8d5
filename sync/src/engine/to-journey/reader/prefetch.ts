import type { ChangeLogPage } from '../../../helium/helium-gateway.ts';
import { KeyMap } from '../../../record/record-key.ts';
import { readDirty } from '../../../sync-state/dirty-records.store.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { reportLockHolder } from '../../run/report/report-lock-holder.ts';
import { pageSize, type SyncContext } from '../../state/context.ts';
import type { FoundRecord } from '../../state/look-ups.ts';
import { lookUp } from '../planner/look-up.ts';
import { discardPage, type PlannedPage, planPage } from '../sender/send-page.ts';

export interface PrefetchedPage {
  readonly context: SyncContext;
  readonly page: ChangeLogPage;
  /** null when the page is read but not planned yet. */
  readonly plan: PlannedPage | null;
}

interface PageInFlight {
  readonly context: SyncContext;
  readonly page: ChangeLogPage;
  readonly plan: PlannedPage;
}

/** The Prefetch reads and plans the next page of the change log while the previous one is sent. */
export class Prefetch {
  readonly #active: ActiveRun;
  #abortController = new AbortController();
  #next: Promise<PrefetchedPage | null> = Promise.resolve(null);

  constructor(active: ActiveRun) {
    this.#active = active;
  }

  start(inFlight: PageInFlight): void {
    const { signal } = this.#active.run;
    const abortController = new AbortController();
    const end = () => abortController.abort();
    signal.addEventListener('abort', end);
    this.#abortController = abortController;
    this.#next = this.#fetch(inFlight, abortController.signal).finally(() => signal.removeEventListener('abort', end));
  }

  /** Returns the next page; null when none was started or it was not available. */
  async take(): Promise<PrefetchedPage | null> {
    const next = await this.#next;
    this.#next = Promise.resolve(null);
    return next;
  }

  /** Discards the next page. Call it when the previous page was not sent. */
  async discard(): Promise<void> {
    this.#abortController.abort();
    await discardPrefetched(await this.take());
  }

  /** Never rejects: a page that cannot be prefetched is requested again in its turn. */
  async #fetch({ context, page, plan }: PageInFlight, signal: AbortSignal): Promise<PrefetchedPage | null> {
    try {
      const next = await readChangeLogPage(this.#active, context, page, signal);
      if (!next.isProven || next.isBeyondEnd) return null;
      const keysInFlight = new KeyMap<true>();
      for (const { key } of plan.planned) keysInFlight.set(key, true);
      const dirty = await readDirty(context.helium.pool, context.stateId, 1);
      if (dirty.length > 0 || next.keys.some((key) => keysInFlight.has(key)))
        return { context, page: next, plan: null };
      signal.throwIfAborted();
      return { context, page: next, plan: await this.#plan(context, next, signal) };
    } catch {
      return null;
    }
  }

  /** Returns null when the mapping has changed during a look-up. */
  async #plan(context: SyncContext, { keys, point }: ChangeLogPage, signal: AbortSignal): Promise<PlannedPage | null> {
    const found = new KeyMap<FoundRecord>();
    for (;;) {
      const plan = await this.#active.run.withSlot(() => planPage(context, keys, { done: null, found, newest: point }));
      if (plan.unknown.length === 0) return plan;
      await lookUp(this.#active, context, plan.unknown, { found, signal });
      if (this.#active.context !== context) return null;
    }
  }
}

/** Removes what was planned for the page. */
export async function discardPrefetched(next: PrefetchedPage | null): Promise<void> {
  if (next?.plan) await discardPage(next.context, next.plan);
}

export function readChangeLogPage(
  { run }: ActiveRun,
  { helium }: SyncContext,
  { cursor, point }: Pick<ChangeLogPage, 'cursor' | 'point'>,
  signal: AbortSignal,
): Promise<ChangeLogPage> {
  return helium.readChangeLog({ cursor, point, limit: pageSize, signal, onHeld: reportLockHolder(run) });
}
