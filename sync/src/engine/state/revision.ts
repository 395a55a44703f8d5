/**
 * Detects that the database with the engine's state was restored to an earlier time under a running
 * engine: what the run has in memory is then ahead of what is stored. Each transaction of the run
 * increases the revision of the stored row.
 */
import { StateRestored } from './state-restored.ts';

export class StateRevision {
  #last: number;

  /** @param last the stored revision when the run was opened */
  constructor(last: number) {
    this.#last = last;
  }

  /**
   * Call it before the stored revision is read. Returns what throws StateRestored when that is
   * behind the last transaction of this moment: another one may end before the read does.
   */
  expectStored(): (revision: number) => void {
    const last = this.#last;
    return (revision) => {
      if (revision < last) throw new StateRestored();
    };
  }

  /**
   * Runs a transaction, which calls `check` with the row's new revision while it holds the row's
   * lock. `check` throws StateRestored, which must roll the transaction back.
   */
  async follow<T>(transact: (check: (revision: number) => void) => Promise<T>): Promise<T> {
    let saved = 0;
    const result = await transact((revision) => {
      if (revision <= this.#last) throw new StateRestored();
      saved = revision;
    });
    this.#last = Math.max(this.#last, saved);
    return result;
  }
}
