import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { Mapping } from '../../mapping/object-map.ts';
import type { KeyMap, RecordKey } from '../../record/record-key.ts';
import type { MergedDeletion } from '../../record/unknown-record.ts';
import { Waiters } from './waiters.ts';

/** A record of which nothing is known: Journey may or may not have it. */
export interface UnknownRecord {
  readonly key: RecordKey;
  /** Whether Helium has it. */
  readonly hasRow: boolean;
}

export interface RecordToLookUp extends UnknownRecord {
  /** When Helium deleted it; null when its change log reports no deletion. */
  readonly deletedAtMs: number | null;
}

/** What Journey has of a record that is still unknown. */
export interface FoundRecord {
  /** null when Journey does not have it. */
  readonly entry: JourneyEntry | null;
  /** Whether Helium's deletion wins; null when it was not deleted, or Journey does not have it. */
  readonly deletion: MergedDeletion | null;
}

export interface LookUp {
  /** The mapping of the page. With another one, nothing is looked up. */
  readonly mapping: Mapping;
  readonly records: readonly RecordToLookUp[];
  /** The result, without records that were merged and are known now. */
  readonly found: KeyMap<FoundRecord>;
}

/**
 * The LookUpQueue hands records of which nothing is known to the op-log loop. Only that loop may
 * merge them: elsewhere, an edit that is applied concurrently would be overwritten.
 */
export class LookUpQueue {
  #lookUps: readonly LookUp[] = [];
  readonly #waiters = new Waiters();

  /** The next one; undefined when there is none. */
  get first(): LookUp | undefined {
    return this.#lookUps[0];
  }

  /**
   * Resolves when the records are looked up; rejects with the signal's reason when it is aborted
   * first.
   */
  async add(lookUp: LookUp, signal: AbortSignal): Promise<void> {
    this.#lookUps = [...this.#lookUps, lookUp];
    await this.#waiters.waitUntil(() => !this.#lookUps.includes(lookUp), signal).finally(() => this.remove(lookUp));
  }

  /** Removes one that is done or no longer awaited. */
  remove(lookUp: LookUp): void {
    this.#lookUps = this.#lookUps.filter((one) => one !== lookUp);
    this.#waiters.check();
  }
}
