import { createHash, randomBytes } from 'node:crypto';
import type { Pool } from '@portal/kit/postgres/pool';
import { deviceDays } from './token-cookie.ts';

/** A script that stores no cookies is a new device at each sign-in. */
const maxPerUser = 50;

/** Recognizes browsers that signed in before. A browser has one token for all of its users. */
export class KnownDevices {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Returns whether this user signed in with this browser before. */
  async isKnown(token: string, environment: string, username: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `select from sign_in_device
       where token_hash = $1 and environment = $2 and username = $3 and expires_at > now()`,
      [hashToken(token), environment, normalizeUsername(username)],
    );
    return rowCount === 1;
  }

  /**
   * Records that this user signed in with the browser that sent `sent`, and returns the browser's
   * token. A token that the portal has not issued is replaced, so that no one can choose it.
   */
  async remember(sent: string | undefined, environment: string, username: string): Promise<string> {
    const token = sent !== undefined && (await this.#isIssued(sent)) ? sent : randomBytes(32).toString('base64url');
    await this.#pool.query(
      `insert into sign_in_device (environment, username, token_hash, expires_at)
       values ($1, $2, $3, now() + make_interval(days => $4))
       on conflict (token_hash, environment, username) do update set expires_at = excluded.expires_at`,
      [environment, normalizeUsername(username), hashToken(token), deviceDays],
    );
    return token;
  }

  /** Deletes devices that were not used for a long time, and the oldest of a user with too many. */
  async removeExpired(): Promise<void> {
    await this.#pool.query(
      `delete from sign_in_device where ctid in (
         select ctid from (
           select ctid, expires_at, row_number() over (partition by environment, username order by expires_at desc) as number
           from sign_in_device) as device
         where expires_at <= now() or number > $1)`,
      [maxPerUser],
    );
  }

  async #isIssued(token: string): Promise<boolean> {
    const { rows } = await this.#pool.query(
      'select from sign_in_device where token_hash = $1 and expires_at > now() limit 1',
      [hashToken(token)],
    );
    return rows.length > 0;
  }
}

/** A platform may ignore case and outer spaces, so variants of a name share one counter. */
export function normalizeUsername(username: string): string {
  return username.trim().toLowerCase();
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
