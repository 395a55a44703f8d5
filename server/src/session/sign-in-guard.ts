import type { Pool } from '@portal/kit/postgres/pool';
import { TooMany } from '@portal/kit/problems';
import type { Config } from '../config.ts';

export interface Attempt {
  /** The credentials were correct: the attempt and the user's earlier failures no longer count. */
  markSucceeded(): Promise<void>;
  /** It is unknown whether the credentials were correct: the attempt does not count. */
  markUndecided(): Promise<void>;
}

/**
 * The SignInGuard is the component that slows down password guessing. It counts failed sign-ins per
 * user of an environment and per address in the database, for all nodes. Attempts are counted
 * before the platform is asked and reverted on success, so that parallel attempts gain nothing.
 */
export class SignInGuard {
  readonly #pool: Pool;
  readonly #limits: Config['signIn'];

  constructor(pool: Pool, limits: Config['signIn']) {
    this.#pool = pool;
    this.#limits = limits;
  }

  /** Throws TooMany, with the same message for every user and address. */
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
    if (tooMany) throw new TooMany('Too many sign-in attempts. Wait a few minutes and try again.', tooMany.waitSeconds);
    return {
      markSucceeded: () => this.#revert([from], [user]),
      markUndecided: () => this.#revert([from, user], []),
    };
  }

  /** Deletes counters whose window has ended. */
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
