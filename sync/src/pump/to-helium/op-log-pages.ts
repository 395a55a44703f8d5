/** The pages of Journey's op-log: while one of a backlog is applied, the next is asked for. */
import type { OpLogPage } from '../../journey/journey-gateway.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import type { EchoSnapshot } from '../shared/pending-echoes.ts';
import { pageSize, type SyncContext } from '../shared/sync-context.ts';

export interface AskedPage {
  readonly cursor: string;
  readonly page: OpLogPage;
  readonly echoes: EchoSnapshot;
}

export class OpLogPages {
  readonly #active: ActiveRun;
  #next: { readonly context: SyncContext; readonly cursor: string; readonly asked: Promise<AskedPage> } | null = null;

  constructor(active: ActiveRun) {
    this.#active = active;
  }

  /** The page behind where the integration is, and of a backlog the beginning of the next one. */
  async read(): Promise<AskedPage> {
    const { progress, context } = this.#active;
    const { opLogCursor } = progress;
    const next = this.#next;
    this.#next = null;
    const isWanted = next !== null && next.cursor === opLogCursor && next.context === context;
    if (next && !isWanted) await this.#pass(next.asked);
    const asked = await (isWanted ? next.asked : this.#ask(opLogCursor));
    if (!asked.page.isLast && asked.page.entries.length > 0) this.#begin(asked.page.cursor);
    return asked;
  }

  #begin(cursor: string): void {
    const asked = this.#ask(cursor);
    // Whoever waits for it is told; perhaps nobody does.
    asked.catch(() => undefined);
    this.#next = { context: this.#active.context, cursor, asked };
  }

  /**
   * A page in another data model is withheld once only: of that one, too, the mapping must hear.
   */
  async #pass(asked: Promise<AskedPage>): Promise<void> {
    const passed = await asked.catch(() => null);
    if (passed) await this.#active.mapping.followModel(passed.page.dataModelHash);
  }

  async #ask(cursor: string): Promise<AskedPage> {
    const { context, run } = this.#active;
    const echoes = this.#active.echoes.snapshot();
    const page = await run.withSlot(() =>
      context.journey.readOpLog({ mapping: context.mapping, cursor, limit: pageSize, signal: run.signal }),
    );
    return { cursor, page, echoes };
  }
}
