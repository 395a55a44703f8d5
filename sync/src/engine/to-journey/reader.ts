/** Reads the pages of Helium's change log. While one page is sent, the next is read and planned. */
import type { ChangeLogPage } from '../../helium/helium-gateway.ts';
import { saveRun } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { describeRest } from '../run/report/describe-rest.ts';
import { withLockedState } from '../state/context.ts';
import { checkEnd, recoverFromGap } from './reader/change-log-gap.ts';
import { discardPrefetched, Prefetch, type PrefetchedPage, readChangeLogPage } from './reader/prefetch.ts';
import { planAndSend } from './sender/plan-and-send.ts';
import type { PlannedPage } from './sender/send-page.ts';

export class ChangeLogPages {
  readonly #active: ActiveRun;
  readonly #prefetch: Prefetch;
  #next: PrefetchedPage | null = null;

  constructor(active: ActiveRun) {
    this.#active = active;
    this.#prefetch = new Prefetch(active);
  }

  /** Whether a page is planned that must be sent before anything else is planned. */
  get isPlanned(): boolean {
    return this.#next !== null && this.#next.plan !== null;
  }

  /**
   * Discards the planned page. Call it before anything else is planned or the mapping is replaced.
   */
  async discard(): Promise<void> {
    const next = this.#next;
    this.#next = null;
    await discardPrefetched(next);
  }

  /** Returns whether there is more to do at once. */
  async sendNext(): Promise<boolean> {
    const { run, progress } = this.#active;
    const cursor = progress.changeLogCursor;
    const next = await this.#takeNext(cursor);
    const { page } = next;
    if (!page.isProven) return recoverFromGap(this.#active);
    if (page.isBeyondEnd) await checkEnd(this.#active);
    if (page.keys.length > 0) run.publish({ heliumToJourneyWaitingSinceMs: progress.recordChanges(Date.now()) });
    const hasChanges = page.keys.length > 0 || page.cursor !== cursor;
    if (!hasChanges) {
      await this.#rest(page);
      return !page.isLast;
    }
    if (!(await this.#send(next))) return true;
    this.#movePast(page);
    this.#next = await this.#prefetch.take();
    return !page.isLast || page.keys.length > 0;
  }

  async #takeNext(cursor: string): Promise<PrefetchedPage> {
    if (this.#next && this.#next.context !== this.#active.context) await this.discard();
    const next = this.#next;
    this.#next = null;
    if (next) return next;
    const { context, run } = this.#active;
    const start = { cursor, point: this.#active.progress.changeLogPoint };
    return { context, page: await readChangeLogPage(this.#active, context, start, run.signal), plan: null };
  }

  /** Returns whether the page was sent; otherwise it must be read again. */
  async #send({ context, page, plan }: PrefetchedPage): Promise<boolean> {
    const done = { changeLogCursor: page.cursor, changeLogPoint: page.point };
    const onPlanned = (plan: PlannedPage) => {
      if (!page.isLast) this.#prefetch.start({ context, page, plan });
    };
    try {
      return await planAndSend(this.#active, { context, keys: page.keys, done, plan, onPlanned });
    } catch (error) {
      await this.#prefetch.discard().catch(() => undefined);
      throw error;
    }
  }

  /** Remembers the entry at the cursor when it was not known, such as after a given version. */
  async #rest(page: ChangeLogPage): Promise<void> {
    const { context, progress } = this.#active;
    const { point: changeLogPoint } = page;
    if (changeLogPoint && !progress.changeLogPoint)
      await withLockedState(context, (db) => saveRun(db, context.stateId, { changeLogPoint }));
    this.#movePast(page);
  }

  #movePast({ cursor, isLast, point }: ChangeLogPage): void {
    if (point) this.#active.progress.setPoints({ changeLogPoint: point });
    this.#active.progress.moveChangeLogTo(cursor, isLast);
    this.#active.run.publish({
      changeLogVersion: cursor,
      heliumSyncStatus: isLast ? describeRest(this.#active.context) : 'Catching up',
      ...(isLast && { heliumToJourneyWaitingSinceMs: null }),
    });
  }
}
