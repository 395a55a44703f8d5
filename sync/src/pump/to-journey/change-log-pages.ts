/** Reads the pages of Helium's change log. While one page is sent, the next is read and planned. */
import type { ChangeLogPage } from '../../helium/helium-gateway.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { RestoreFound } from '../shared/restore-found.ts';
import { discardPrefetched, Prefetch, type PrefetchedPage, readChangeLogPage } from './prefetch.ts';
import { sendAndReport } from './send-and-report.ts';
import { planPage, sendPage } from './send-page.ts';

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
    if (page.historyLost) {
      throw new RestoreFound(
        `Helium's change log ends before entry ${cursor}, which was already read: the database, or part of it, was restored.`,
        { side: 'helium', asOf: null, tables: null },
      );
    }
    if (page.keys.length > 0) run.publish({ heliumToJourneyWaitingSinceMs: progress.recordChanges(Date.now()) });
    if (page.keys.length > 0 || page.cursor !== cursor) await this.#send(next);
    else this.#movePast(page);
    return !page.isLast || page.keys.length > 0;
  }

  async #takeNext(cursor: string): Promise<PrefetchedPage> {
    if (this.#next && this.#next.context !== this.#active.context) await this.discard();
    const next = this.#next;
    this.#next = null;
    if (next) return next;
    const { context, run } = this.#active;
    return { context, page: await readChangeLogPage(this.#active, context, cursor, run.signal), plan: null };
  }

  async #send({ context, page, plan: planned }: PrefetchedPage): Promise<void> {
    const completion = { changeLogCursor: page.cursor };
    try {
      await sendAndReport(this.#active, async () => {
        const plan = planned ?? (await planPage(context, page.keys, completion));
        if (!page.isLast) this.#prefetch.start({ context, page, plan });
        return sendPage(context, plan, completion);
      });
    } catch (error) {
      await this.#prefetch.discard().catch(() => undefined);
      throw error;
    }
    this.#movePast(page);
    this.#next = await this.#prefetch.take();
  }

  #movePast({ cursor, isLast }: ChangeLogPage): void {
    this.#active.progress.moveChangeLogTo(cursor, isLast);
    this.#active.run.publish({
      changeLogVersion: cursor,
      heliumSyncStatus: isLast ? 'Live' : 'Catching up',
      ...(isLast && { heliumToJourneyWaitingSinceMs: null }),
    });
  }
}
