import type { App } from '@portal/contract/apps';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import { NotSignedIn, TooMany } from '@portal/kit/problems';
import type { ListReading } from '@portal/platforms/helium/client';
import { toNetwork } from '../client-network.ts';
import type { Config } from '../config.ts';
import { hashParts } from '../hash-parts.ts';
import { AttemptQueue } from './attempt-queue.ts';
import { type KnownDevices, normalizeUsername } from './known-devices.ts';
import { type Failures, getDelaySeconds } from './sign-in-delay.ts';

export interface SignInAttempt {
  readonly environment: string;
  readonly username: string;
  readonly password: string;
  readonly address: string;
  /** The token of the device cookie, if the request has one. */
  readonly deviceToken: string | undefined;
}

export interface SignInGuardOptions {
  readonly pool: Pool;
  readonly limits: Config['signIn'];
  readonly devices: KnownDevices;
  readonly logger: Logger;
}

/** Asks the platform; throws NotSignedIn if it refuses the credentials. */
type Verify = () => Promise<ListReading<App>>;

/** The counters of an attempt in the database. */
interface Counters {
  readonly user: string;
  /** Absent for a browser that signed in before. */
  readonly address?: string;
}

const queueLimits = { maxRunning: 32, maxRunningPerKey: 4, maxWaiting: 1_000, maxWaitingPerKey: 50 };

/**
 * Slows down password guessing. It counts the sign-ins that the platform refused, in the database,
 * for all nodes: per user and address, and per address. The counters delay a user's next attempt
 * and never exclude anyone. A browser in which the user signed in before has a counter of its own,
 * so strangers at the same address do not delay it.
 */
export class SignInGuard {
  readonly #options: SignInGuardOptions;
  readonly #queue = new AttemptQueue<ListReading<App>>(queueLimits);

  constructor(options: SignInGuardOptions) {
    this.#options = options;
  }

  /**
   * Runs `verify` unless the user has to wait. Only a few attempts of a user run at the same time,
   * each after reading the counters again, so that parallel guesses gain little. Attempts with the
   * same credentials that wait for their turn share one run. Throws TooMany if the user has to
   * wait, or what `verify` throws.
   */
  async attempt(attempt: SignInAttempt, verify: Verify): Promise<ListReading<App>> {
    const { environment, username, password, deviceToken } = attempt;
    const network = toNetwork(attempt.address);
    const user = [environment, normalizeUsername(username)];
    const isKnown =
      deviceToken !== undefined && (await this.#options.devices.isKnown(deviceToken, environment, username));
    const counters: Counters = isKnown
      ? { user: `device ${hashParts([...user, deviceToken])}` }
      : { user: `user ${hashParts([...user, network])}`, address: `address ${hashParts([network])}` };
    const group = isKnown ? counters.user : hashParts([environment, network]);
    const key = hashParts([username, password]);
    return this.#queue.run(group, counters.user, key, () => this.#verify(counters, network, verify));
  }

  /** Deletes counters whose window has ended. */
  async removeExpired(): Promise<void> {
    // Skipping locked rows avoids deadlocks with attempts that fail at the same time.
    await this.#options.pool.query(
      `delete from sign_in_failures where subject in (
         select subject from sign_in_failures where window_ends_at <= now() for update skip locked)`,
    );
  }

  async #verify(counters: Counters, network: string, verify: Verify): Promise<ListReading<App>> {
    const failures = await this.#readFailures(counters);
    const seconds = Math.ceil(getDelaySeconds(failures, this.#options.limits) - failures.secondsAgo);
    if (seconds > 0) throw new TooMany(`Too many sign-in attempts. Try again in ${seconds} s.`, seconds);
    try {
      const apps = await verify();
      if (failures.ofUser > 0) await this.#reset(counters.user);
      return apps;
    } catch (error) {
      if (error instanceof NotSignedIn) await this.#countFailure(counters, network);
      throw error;
    }
  }

  async #readFailures({ user, address }: Counters): Promise<Failures> {
    const { rows } = await this.#options.pool.query<{ subject: string; failures: number; secondsAgo: number }>(
      `select subject, failures, extract(epoch from now() - last_failed_at)::float8 as "secondsAgo"
       from sign_in_failures where subject = any($1) and window_ends_at > now()`,
      [[user, address]],
    );
    const ofUser = rows.find(({ subject }) => subject === user);
    const ofAddress = rows.find(({ subject }) => subject === address);
    return {
      ofUser: ofUser?.failures ?? 0,
      secondsAgo: ofUser?.secondsAgo ?? 0,
      ofAddress: ofAddress?.failures ?? 0,
    };
  }

  async #countFailure({ user, address }: Counters, network: string): Promise<void> {
    const { pool, limits, logger } = this.#options;
    // Always locks the rows in the same order, so that attempts cannot block each other.
    const { rows } = await pool.query<{ subject: string; failures: number }>(
      `insert into sign_in_failures as counted (subject, failures, window_ends_at, last_failed_at)
       select subject, 1, now() + make_interval(secs => $2 * 60), now()
       from unnest($1::text[]) as subject order by subject
       on conflict (subject) do update set
         failures = case when counted.window_ends_at > now() then counted.failures + 1 else 1 end,
         window_ends_at = case when counted.window_ends_at > now() then counted.window_ends_at else excluded.window_ends_at end,
         last_failed_at = excluded.last_failed_at
       returning subject, failures`,
      [address === undefined ? [user] : [user, address], limits.windowMins],
    );
    const ofAddress = rows.find(({ subject }) => subject === address);
    if (ofAddress?.failures === limits.failuresPerAddress)
      logger.warn({ address: network, failures: ofAddress.failures }, 'many sign-ins from one address failed');
  }

  async #reset(counter: string): Promise<void> {
    await this.#options.pool.query('delete from sign_in_failures where subject = $1', [counter]);
  }
}
