import type { Pool } from '@portal/kit/postgres/pool';
import { TooMany } from '@portal/kit/problems';
import type { Config } from '../config.ts';

export interface Attempt {
  /**
   * The credentials were right: the attempt no longer counts, nor do the user's failures before it.
   */
  markSucceeded(): Promise<void>;
  /** Nobody could say whether they were right: the attempt does not count. */
  markUndecided(): Promise<void>;
}

/**
 * Slows down guessing: counts failed sign-ins per user of an environment and per address, in the
 * database, so for all nodes together. An attempt is counted before the platform is asked and taken
 * back when it was right, so that many at once gain nothing.
 */
export class SignInGuard {
  readonly #pool: Pool;
  readonly #limits: Config['signIn'];

  constructor(pool: Pool, limits: Config['signIn']) {
    this.#pool = pool;
    this.#limits = limits;
  }

  /** Throws TooMany, in the same words for every user and address. */
  async begin(environment: string, username: string, address: string): Promise<Attempt> {
    const { failuresPerUser, failuresPerAddress, windowMins } = this.#limits;
    const user = `user ${environment} ${username.trim().toLowerCase()}`;
    const from = `address ${address}`;
    const { rows } = await this.#pool.query<{ subject: string; failures: number; waitSeconds: number }>(
      `insert into sign_in_failures as counted (subject, failures, window_ends_at)
       select subject, 1, now() + make_interval(secs => $2 * 60) from unnest($1::text[]) as subject order by subject
       on conflict (subject) do update set
         failures = case when counted.window_ends_at > now() then counted.failures + 1 else 1 end,
         window_ends_at = case when counted.window_ends_at > now() then counted.window_ends_at else excluded.window_ends_at end
       returning subject, failures, ceil(extract(epoch from window_ends_at - now()))::int as "waitSeconds"`,
      [[user, from], windowMins],
    );
    const tooMany = rows.find(
      ({ subject, failures }) => failures > (subject === user ? failuresPerUser : failuresPerAddress),
    );
    if (tooMany) throw new TooMany('Too many attempts to sign in. Wait a little and try again.', tooMany.waitSeconds);
    return {
      markSucceeded: () => this.#revert([from], [user]),
      markUndecided: () => this.#revert([from, user], []),
    };
  }

  /** Drops counts whose window is over. */
  async removeExpired(): Promise<void> {
    await this.#pool.query('delete from sign_in_failures where window_ends_at <= now()');
  }

  async #revert(once: readonly string[], whole: readonly string[]): Promise<void> {
    await this.#pool.query(
      `update sign_in_failures set failures = case when subject = any($2) then 0 else greatest(failures - 1, 0) end
       where subject = any($1) or subject = any($2)`,
      [once, whole],
    );
  }
}
