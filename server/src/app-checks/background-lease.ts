import { randomUUID } from 'node:crypto';
import type { Pool } from '@portal/kit/postgres/pool';

/** Another node acquires the lease of a node that was killed within this time and its own check. */
const durationSecs = 30;

/**
 * Selects the one node that does some background work. The work must do no harm on two nodes for a
 * moment: a frozen node notices too late that its lease has expired.
 */
export class BackgroundLease {
  readonly #holder = randomUUID();
  readonly #pool: Pool;
  readonly #name: string;

  constructor(pool: Pool, name: string) {
    this.#pool = pool;
    this.#name = name;
  }

  /** Acquires or renews the lease; returns false while another node holds it. */
  async acquire(): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `insert into background_lease as l (name, holder, expires_at)
       values ($1, $2, clock_timestamp() + interval '${durationSecs} seconds')
       on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
       where l.holder = excluded.holder or l.expires_at < clock_timestamp()`,
      [this.#name, this.#holder],
    );
    return rowCount === 1;
  }

  /** Lets another node acquire the lease at once. */
  async release(): Promise<void> {
    await this.#pool.query('delete from background_lease where name = $1 and holder = $2', [this.#name, this.#holder]);
  }
}
