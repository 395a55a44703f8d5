/** Reads the pages of Helium's change log. While one page is sent, the next is read and planned. */
import type { ChangeLogPage } from '../../helium/helium-gateway.ts';
import { saveRun } from '../../sync-state/runs.store.ts';
import type { RunWith } from '../run/parts.ts';
import { describeRest } from '../run/report/describe-rest.ts';
import { withLockedState } from '../state/context.ts';
import { sendPage } from './page.ts';
import type { PlannedPage } from './planner.ts';
import { checkEnd, recoverFromGap } from './reader/change-log-gap.ts';
import { discardPrefetched, Prefetch, type PrefetchedPage, readChangeLogPage } from './reader/prefetch.ts';

export class ChangeLogPages {
  readonly #run: RunWith<
    'echoes' | 'lookUps' | 'loops' | 'mapping' | 'progress' | 'readAgain' | 'retries' | 'tally' | 'timing'
  >;
  readonly #prefetch: Prefetch;
  #next: PrefetchedPage | null = null;

  constructor(
    run: RunWith<
      'echoes' | 'lookUps' | 'loops' | 'mapping' | 'progress' | 'readAgain' | 'retries' | 'tally' | 'timing'
    >,
  ) {
    this.#run = run;
    this.#prefetch = new Prefetch(run);
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
    const { progress, publish } = this.#run;
    const cursor = progress.changeLogCursor;
    const next = await this.#takeNext(cursor);
    const { page } = next;
    if (!page.isProven) return recoverFromGap(this.#run);
    if (page.isBeyondEnd) await checkEnd(this.#run);
    if (page.keys.length > 0) publish({ heliumToJourneyWaitingSinceMs: progress.recordChanges(Date.now()) });
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
    if (this.#next && this.#next.context !== this.#run.context) await this.discard();
    const next = this.#next;
    this.#next = null;
    if (next) return next;
    const { context, signal } = this.#run;
    const start = { cursor, point: this.#run.progress.changeLogPoint };
    return { context, page: await readChangeLogPage(this.#run, context, start, signal), plan: null };
  }

  /** Returns whether the page was sent; otherwise it must be read again. */
  async #send({ context, page, plan }: PrefetchedPage): Promise<boolean> {
    const done = { changeLogCursor: page.cursor, changeLogPoint: page.point };
    const onPlanned = (plan: PlannedPage) => {
      if (!page.isLast) this.#prefetch.start({ context, page, plan });
    };
    try {
      return await sendPage(this.#run, { context, keys: page.keys, done, plan, onPlanned });
    } catch (error) {
      await this.#prefetch.discard().catch(() => undefined);
      throw error;
    }
  }

  /** Remembers the entry at the cursor when it was not known, such as after a given version. */
  async #rest(page: ChangeLogPage): Promise<void> {
    const { context, progress } = this.#run;
    const { point: changeLogPoint } = page;
    if (changeLogPoint && !progress.changeLogPoint)
      await withLockedState(context, (db) => saveRun(db, context.stateId, { changeLogPoint }));
    this.#movePast(page);
  }

  #movePast({ cursor, isLast, point }: ChangeLogPage): void {
    if (point) this.#run.progress.setPoints({ changeLogPoint: point });
    this.#run.progress.moveChangeLogTo(cursor, isLast);
    this.#run.publish({
      changeLogVersion: cursor,
      heliumSyncStatus: isLast ? describeRest(this.#run.context) : 'Catching up',
      ...(isLast && { heliumToJourneyWaitingSinceMs: null }),
    });
  }
}
