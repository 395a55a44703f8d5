/**
 * Notices that the engine's state went back under a running engine, as when its database is restored
 * to an earlier time: what the run remembers is then ahead of what is stored. Each of its
 * transactions increases the revision of the stored row.
 */
import { StateRestored } from './state-restored.ts';

export class StateRevision {
  #last: number;

  /** @param last the stored revision when the run was opened */
  constructor(last: number) {
    this.#last = last;
  }

  /**
   * Runs a transaction, which calls `check` with the revision it gives the row while it holds the
   * row's lock. `check` throws StateRestored, which must roll the transaction back.
   */
  async follow<T>(transact: (check: (revision: number) => void) => Promise<T>): Promise<T> {
    let given = 0;
    const result = await transact((revision) => {
      if (revision <= this.#last) throw new StateRestored();
      given = revision;
    });
    this.#last = Math.max(this.#last, given);
    return result;
  }
}
