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
      `INSERT INTO session (id, token_hash, username, environment, credentials, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6 * 3600))`,
      [id, tokenHash, username, environment, credentials, this.#limits.absoluteHours],
    );
  }

  /** The session of a token, unless it has ended by time. */
  async find(tokenHash: Buffer): Promise<SessionRow | undefined> {
    const { rows } = await this.#pool.query<SessionRow>(
      `SELECT ${columns} FROM session WHERE token_hash = $1 AND ${isLive}`,
      [tokenHash, this.#limits.idleMins],
    );
    return rows[0];
  }

  async touch(id: string): Promise<void> {
    await this.#pool.query('UPDATE session SET last_seen_at = now() WHERE id = $1', [id]);
  }

  async remove(id: string): Promise<void> {
    await this.#pool.query('DELETE FROM session WHERE id = $1', [id]);
  }

  /** Wipes what has ended by time, credentials and all. */
  async removeEnded(): Promise<void> {
    await this.#pool.query(
      'DELETE FROM session WHERE expires_at <= now() OR last_seen_at <= now() - make_interval(secs => $1 * 60)',
      [this.#limits.idleMins],
    );
  }
}
