import type { Pool } from '@portal/kit/postgres/pool';

export interface SessionRow {
  readonly id: string;
  readonly username: string;
  readonly environment: string;
  readonly credentials: Buffer;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

export interface SessionLimits {
  readonly idleMins: number;
  readonly absoluteHours: number;
}

export interface NewSession {
  readonly id: string;
  readonly tokenHash: Buffer;
  readonly username: string;
  readonly environment: string;
  readonly credentials: Buffer;
}

const columns = `id, username, environment, credentials, last_seen_at AS "lastSeenAt", expires_at AS "expiresAt"`;
const isLive = 'expires_at > now() AND last_seen_at > now() - make_interval(secs => $2 * 60)';

export class SessionStore {
  readonly #pool: Pool;
  readonly #limits: SessionLimits;

  constructor(pool: Pool, limits: SessionLimits) {
    this.#pool = pool;
    this.#limits = limits;
  }

  async add({ id, tokenHash, username, environment, credentials }: NewSession): Promise<void> {
    await this.#pool.query(
      `insert into session (id, token_hash, username, environment, credentials, expires_at)
       values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6 * 3600))`,
      [id, tokenHash, username, environment, credentials, this.#limits.absoluteHours],
    );
  }

  /** Finds the session of a token, unless it has expired. */
  async find(tokenHash: Buffer): Promise<SessionRow | undefined> {
    const { rows } = await this.#pool.query<SessionRow>(
      `select ${columns} from session where token_hash = $1 and ${isLive}`,
      [tokenHash, this.#limits.idleMins],
    );
    return rows[0];
  }

  async touch(id: string): Promise<void> {
    await this.#pool.query('update session set last_seen_at = now() where id = $1', [id]);
  }

  async remove(id: string): Promise<void> {
    await this.#pool.query('delete from session where id = $1', [id]);
  }

  /** Deletes expired sessions with their credentials. */
  async removeExpired(): Promise<void> {
    await this.#pool.query(
      'delete from session where expires_at <= now() or last_seen_at <= now() - make_interval(secs => $1 * 60)',
      [this.#limits.idleMins],
    );
  }
}
