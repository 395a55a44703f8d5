import { FairSlots } from '@portal/kit/concurrency/fair-slots';
import type { Pool } from '@portal/kit/postgres/pool';
import { createBusy, getSlotKey, type SlotUser } from '../user-slots.ts';

/**
 * The HeavyWork is the component that runs expensive database work on connections of its own, a few
 * pieces at a time and at most two per user. The slots of calls cannot take its place: an import
 * continues after its call, a calendar is read without a session, an export needs a connection for
 * some pages only, and most heavy calls wait for other systems than the database.
 */
export class HeavyWork {
  readonly #pool: Pool;
  readonly #slots: FairSlots;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#slots = new FairSlots({ maxRunning: pool.options.max, createRefusal: createBusy });
  }

  /**
   * Runs the work, which must use one connection at a time. Throws Busy if no connection becomes
   * free in time, and the signal's reason if it aborts while waiting.
   */
  run<T>(user: SlotUser, work: (pool: Pool) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#slots.run(getSlotKey(user), () => work(this.#pool), signal);
  }
}
