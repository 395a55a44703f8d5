/**
 * Reads the pages of Journey's op-log. While one page of a backlog is applied, the next is
 * requested.
 */
import type { OpLogPage } from '../../../journey/journey-gateway.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { pageSize, type SyncContext } from '../../state/context.ts';
import type { EchoSnapshot } from '../../state/echoes.ts';

export interface RequestedPage {
  readonly cursor: string;
  readonly page: OpLogPage;
  readonly echoes: EchoSnapshot;
}

export class OpLogPages {
  readonly #active: ActiveRun;
  #next: { readonly context: SyncContext; readonly cursor: string; readonly requested: Promise<RequestedPage> } | null =
    null;

  constructor(active: ActiveRun) {
    this.#active = active;
  }

  /** Returns the page behind the cursor, and requests the next one when there is a backlog. */
  async read(): Promise<RequestedPage> {
    const { progress, context } = this.#active;
    const { opLogCursor } = progress;
    const next = this.#next;
    this.#next = null;
    const isUsable = next !== null && next.cursor === opLogCursor && next.context === context;
    if (next && !isUsable) await this.#skip(next.requested);
    const requested = await (isUsable ? next.requested : this.#request(opLogCursor));
    if (!requested.page.isLast && requested.page.entries.length > 0) this.#prefetch(requested.page.cursor);
    return requested;
  }

  #prefetch(cursor: string): void {
    const requested = this.#request(cursor);
    // A reader of this page gets the rejection; if there is none, it must not go unhandled.
    requested.catch(() => undefined);
    this.#next = { context: this.#active.context, cursor, requested };
  }

  /**
   * Reports a discarded page's data model to the mapping, because Journey withholds a page in
   * another data model only once.
   */
  async #skip(requested: Promise<RequestedPage>): Promise<void> {
    const skipped = await requested.catch(() => null);
    if (skipped) await this.#active.mapping.followModel(skipped.page.dataModelHash);
  }

  async #request(cursor: string): Promise<RequestedPage> {
    const { context, run, progress } = this.#active;
    const { opLogPoint } = progress;
    const isStart = cursor === '0' || (opLogPoint?.sequence === cursor && opLogPoint.isExpired === true);
    const echoes = this.#active.echoes.snapshot();
    const page = await run.withSlot(() =>
      context.journey.readOpLog({ mapping: context.mapping, cursor, isStart, limit: pageSize, signal: run.signal }),
    );
    return { cursor, page, echoes };
  }
}
