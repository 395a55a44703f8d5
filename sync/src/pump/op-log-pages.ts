/** The pages of Journey's op-log: while one of a backlog is applied, the next is asked for. */
import type { OpLogPage } from '../journey/journey-end.ts';
import type { IntegrationRun } from './integration-run.ts';
import { PAGE, type Pump } from './pump.ts';

export interface AskedPage {
  readonly cursor: string;
  readonly page: OpLogPage;
  /** As these were when it was asked for: what has happened since may not be in it. */
  readonly acknowledged: number;
  readonly mustReadFirst: boolean;
}

export class OpLogPages {
  readonly #on: IntegrationRun;
  #next: { readonly pump: Pump; readonly cursor: string; readonly asked: Promise<AskedPage> } | null = null;

  constructor(on: IntegrationRun) {
    this.#on = on;
  }

  /** The page behind where the integration is, and of a backlog the beginning of the next one. */
  async read(): Promise<AskedPage> {
    const { at, pump } = this.#on;
    const next = this.#next;
    this.#next = null;
    const isWanted = next !== null && next.cursor === at.opLogCursor && next.pump === pump;
    if (next && !isWanted) await this.#pass(next.asked);
    const asked = await (isWanted ? next.asked : this.#ask(at.opLogCursor));
    if (!asked.page.isLast && asked.page.entries.length > 0) this.#begin(asked.page.cursor);
    return asked;
  }

  #begin(cursor: string): void {
    const asked = this.#ask(cursor);
    // Whoever waits for it is told; perhaps nobody does.
    asked.catch(() => undefined);
    this.#next = { pump: this.#on.pump, cursor, asked };
  }

  /** A page in another data model is withheld once only: of that one, too, the mapping must hear. */
  async #pass(asked: Promise<AskedPage>): Promise<void> {
    const passed = await asked.catch(() => null);
    if (passed) await this.#on.followModel(passed.page.dataModelHash);
  }

  async #ask(cursor: string): Promise<AskedPage> {
    const { pump, run, acknowledged, mustReadFirst } = this.#on;
    const page = await run.slot(() =>
      pump.journey.readOpLog({ mapping: pump.mapping, cursor, limit: PAGE, signal: run.signal }),
    );
    return { cursor, page, acknowledged, mustReadFirst };
  }
}
