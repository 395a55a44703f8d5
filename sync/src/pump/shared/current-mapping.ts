import type { Mapping } from '../../mapping/object-map.ts';
import type { Position, Progress } from './progress.ts';
import { createSerialQueue } from './serial-queue.ts';
import type { SyncContext } from './sync-context.ts';

export interface MappingInUse {
  readonly mapping: Mapping;
  /** Tables to be read whole, because something of them is synced that was not before. */
  readonly fresh: readonly string[];
}

export interface CurrentMappingParts<Context> {
  readonly context: Context;
  readonly progress: Progress;
  /** The mapping of this data model of Journey; null when it is the one in use. */
  readonly follow: (modelHash: string) => Promise<MappingInUse | null>;
  readonly planFullRead: (
    context: Context,
    position: Position,
    tables: readonly string[],
  ) => Promise<Pick<Position, 'toHelium' | 'toJourney'>>;
  /** Stores the mapping, once what it brings along is planned. */
  readonly save: () => Promise<void>;
  readonly onChange: () => void;
}

/** What both directions work with; replaced as a whole when the mapping changes. */
export class CurrentMapping<Context extends Pick<SyncContext, 'mapping'> = SyncContext> {
  #context: Context;
  readonly #parts: CurrentMappingParts<Context>;
  readonly #queue = createSerialQueue();

  constructor(parts: CurrentMappingParts<Context>) {
    this.#parts = parts;
    this.#context = parts.context;
  }

  /** To be read again at each page. */
  get context(): Context {
    return this.#context;
  }

  /**
   * Runs work on what is to be read whole one after another: planning it, and reading a page of it.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue(work);
  }

  /** Switches to the mapping of this data model, unless it is the one in use. */
  async followModel(modelHash: string): Promise<void> {
    const { progress, follow, planFullRead, save, onChange } = this.#parts;
    const next = await follow(modelHash);
    if (!next) return;
    await this.inTurn(async () => {
      const context = { ...this.#context, mapping: next.mapping };
      const plan = next.fresh.length > 0 ? await planFullRead(context, progress.position, next.fresh) : null;
      // Both at once: a table that is to be read whole must not be overwritten before.
      this.#context = context;
      if (plan) progress.planFullReads(plan);
    });
    await save();
    onChange();
  }
}
