import type { UnknownColumn } from '../../mapping/compare-mappings.ts';
import type { Mapping } from '../../mapping/object-map.ts';
import type { SyncContext } from './context.ts';
import type { Points, Position, Progress } from './progress.ts';
import { createSerialQueue } from './serial-queue.ts';

export interface MappingInUse {
  readonly mapping: Mapping;
  /** Tables to read in full, because more of them is synced than before. */
  readonly newTables: readonly string[];
  /** Columns to forget before these tables are read. */
  readonly unknown: readonly UnknownColumn[];
}

export interface CurrentMappingParts<Context> {
  readonly context: Context;
  readonly progress: Progress;
  /** Returns the mapping for this data model of Journey; null when it is the current one. */
  readonly follow: (modelHash?: string) => Promise<MappingInUse | null>;
  readonly planFullRead: (
    context: Context,
    position: Position,
    next: MappingInUse,
  ) => Promise<Pick<Position, 'toHelium' | 'toJourney'> & Partial<Points>>;
  /** Stores the mapping once its full reads are planned. */
  readonly save: () => Promise<void>;
  readonly onChange: () => void;
}

/**
 * The CurrentMapping holds the context both directions work with. A mapping change replaces it as a
 * whole.
 */
export class CurrentMapping<Context extends Pick<SyncContext, 'mapping'> = SyncContext> {
  #context: Context;
  #followed: Mapping;
  readonly #parts: CurrentMappingParts<Context>;
  readonly #queue = createSerialQueue();

  constructor(parts: CurrentMappingParts<Context>) {
    this.#parts = parts;
    this.#context = parts.context;
    this.#followed = parts.context.mapping;
  }

  /** The current context. Read it again for each page. */
  get context(): Context {
    return this.#context;
  }

  /**
   * The mapping that the context has or is about to get: what is known of columns in which the two
   * differ may be forgotten already.
   */
  get followed(): Mapping {
    return this.#followed;
  }

  /** Serializes the planning of full reads with the reading of their pages. */
  runSerialized<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue(work);
  }

  /**
   * Switches to the mapping of this data model, unless it is the current one.
   *
   * @param modelHash of Journey. Default: the one that was read last
   */
  async followModel(modelHash?: string): Promise<void> {
    const { progress, follow, planFullRead, save, onChange } = this.#parts;
    const next = await follow(modelHash);
    if (!next) return;
    await this.runSerialized(async () => {
      const context = { ...this.#context, mapping: next.mapping };
      this.#followed = next.mapping;
      const plan = next.newTables.length > 0 ? await planFullRead(context, progress.position, next) : null;
      // In one step: a table must not be overwritten before it is read in full.
      this.#context = context;
      if (plan) progress.planFullReads(plan);
    });
    await save();
    onChange();
  }
}
