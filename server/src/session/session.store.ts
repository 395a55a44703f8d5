import type { Lifetime } from '@portal/contract/session';
import type { Pool } from '@portal/kit/postgres/pool';

export interface SessionRow {
  readonly id: string;
  readonly username: string;
  readonly environment: string;
  readonly credentials: Buffer;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly isReadOnly: boolean;
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
  readonly address: string;
  readonly userAgent: string | null;
}

/** A session as its user or an administrator sees it. */
export interface ListedSession {
  readonly id: string;
  readonly username: string;
  readonly createdAt: Date;
  /** Recorded once a minute. */
  readonly lastSeenAt: Date;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly isReadOnly: boolean;
  /** Where it was last used, recorded once a minute; null as long as it was used nowhere else. */
  readonly lastAddress: string | null;
  readonly lastUserAgent: string | null;
}

type LaterThan = Pick<SessionRow, 'username' | 'environment' | 'createdAt'>;

/** The channel on which nodes notify each other of the sessions that they end. */
export const endChannel = 'session_end';

const columns = `id, username, environment, credentials, created_at as "createdAt",
  last_seen_at as "lastSeenAt", expires_at as "expiresAt",
  is_read_only as "isReadOnly"`;
const getIdleEnd = (idleMins: '$1' | '$2') =>
  `case when is_read_only then 'infinity' else last_seen_at + make_interval(secs => ${idleMins} * 60) end`;
const idleEnd = getIdleEnd('$2');
const isLive = `least(expires_at, ${idleEnd}) > now()`;
const lifetime = `extract(epoch from least(expires_at, ${idleEnd}) - now())::float8 as "secondsLeft",
  (${idleEnd}) < expires_at as "canExtend"`;

export class SessionStore {
  readonly #pool: Pool;
  readonly #limits: SessionLimits;

  constructor(pool: Pool, limits: SessionLimits) {
    this.#pool = pool;
    this.#limits = limits;
  }

  async add({ id, tokenHash, username, environment, credentials, address, userAgent }: NewSession): Promise<void> {
    await this.#pool.query(
      `insert into session (id, token_hash, username, environment, credentials, expires_at, address, user_agent)
       values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6 * 3600), $7, $8)`,
      [id, tokenHash, username, environment, credentials, this.#limits.absoluteHours, address, userAgent],
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

  /** Finds a session by its id, unless it has expired. */
  async findById(id: string): Promise<SessionRow | undefined> {
    const { rows } = await this.#pool.query<SessionRow>(`select ${columns} from session where id = $1 and ${isLive}`, [
      id,
      this.#limits.idleMins,
    ]);
    return rows[0];
  }

  /** Returns the user's sessions that were opened later and have not expired. */
  async listLater({ username, environment, createdAt }: LaterThan): Promise<SessionRow[]> {
    const { rows } = await this.#pool.query<SessionRow>(
      `select ${columns} from session where username = $1 and environment = $3 and created_at > $4 and ${isLive}`,
      [username, this.#limits.idleMins, environment, createdAt],
    );
    return rows;
  }

  /** Returns the sessions of an environment that have not expired, the last used first. */
  async list(environment: string): Promise<ListedSession[]> {
    const { rows } = await this.#pool.query<ListedSession>(
      `select id, username, created_at as "createdAt", last_seen_at as "lastSeenAt", address, user_agent as "userAgent",
         is_read_only as "isReadOnly",
         last_address as "lastAddress", last_user_agent as "lastUserAgent"
       from session where environment = $1 and ${isLive} order by last_seen_at desc, id`,
      [environment, this.#limits.idleMins],
    );
    return rows;
  }

  /** Returns which of the sessions have not ended, and are not kept for another one. */
  async findLive(ids: readonly string[]): Promise<Set<string>> {
    const { rows } = await this.#pool.query<{ id: string }>(
      `select id from session where id = any ($1::uuid[]) and kept_by is null and ${isLive}`,
      [ids, this.#limits.idleMins],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns when a session ends; undefined if it has. */
  async findLifetime(id: string): Promise<Lifetime | undefined> {
    const { rows } = await this.#pool.query<Lifetime>(`select ${lifetime} from session where id = $1 and ${isLive}`, [
      id,
      this.#limits.idleMins,
    ]);
    return rows[0];
  }

  /** Records that a session is used now. One that has ended stays ended. */
  async saveUse(id: string): Promise<void> {
    const text = `update session set last_seen_at = now() where id = $1 and ${isLive}`;
    await this.#pool.query(text, [id, this.#limits.idleMins]);
  }

  /**
   * Records when the session of a token was last used, unless a later use is known, and returns
   * when it ends; undefined if it has.
   */
  async reportUse(tokenHash: Buffer, secondsAgo: number | undefined): Promise<Lifetime | undefined> {
    const { rows } = await this.#pool.query<Lifetime>(
      // Greatest ignores null.
      `update session set last_seen_at = greatest(last_seen_at, now() - make_interval(secs => $3))
       where token_hash = $1 and ${isLive} returning ${lifetime}`,
      [tokenHash, this.#limits.idleMins, secondsAgo ?? null],
    );
    return rows[0];
  }

  /**
   * Returns whether the session was made read-only; false if it has ended. Those that it keeps end,
   * because they can change something.
   */
  async makeReadOnly(id: string): Promise<boolean> {
    const text = `with ended as (delete from session where kept_by = $1)
      update session set is_read_only = true where id = $1 and ${isLive}`;
    return (await this.#pool.query(text, [id, this.#limits.idleMins])).rowCount === 1;
  }

  /**
   * Keeps a session, and those that it keeps, for another one of its user, instead of ending them.
   * They have no token from now on. Notifies all nodes.
   */
  async keep(id: string, currentId: string): Promise<void> {
    await this.#pool.query(
      `with replaced as (
         delete from session where (id = $1 or kept_by = $1)
           and environment = (select environment from session where id = $2)),
       kept as (
         update session set token_hash = null, kept_by = $2
         where (id = $1 or kept_by = $1)
           and environment <> (select environment from session where id = $2) returning id)
       select pg_notify('${endChannel}', id::text) from kept`,
      [id, currentId],
    );
  }

  /**
   * Gives the token to the session that `id` keeps in an environment, which then keeps `id` and the
   * others. Returns undefined if there is none, or one has expired. Notifies all nodes.
   */
  async switchTo(id: string, environment: string, tokenHash: Buffer): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ id: string }>(
      `with holder as (
         select id from session where id = $1 and kept_by is null and not is_read_only and ${isLive} for update),
       opened as (
         update session set token_hash = $4, kept_by = null
         where id = (select s.id from session s, holder where s.kept_by = holder.id and s.environment = $3
           and least(s.expires_at, case when s.is_read_only then 'infinity'
             else s.last_seen_at + make_interval(secs => $2 * 60) end) > now() limit 1)
         returning id),
       kept as (
         update session set token_hash = null, kept_by = opened.id from opened
         where (session.id = $1 or session.kept_by = $1) and session.id <> opened.id returning session.id)
       select opened.id, (select count(pg_notify('${endChannel}', kept.id::text)) from kept) from opened`,
      [id, this.#limits.idleMins, environment, tokenHash],
    );
    return rows[0]?.id;
  }

  /** Returns the environments of the sessions that a session keeps. */
  async listKept(id: string): Promise<string[]> {
    const { rows } = await this.#pool.query<{ environment: string }>(
      `select environment from session where kept_by = $1 and ${isLive} order by environment`,
      [id, this.#limits.idleMins],
    );
    return rows.map(({ environment }) => environment);
  }

  /**
   * Returns whether the session was removed; false if it had already ended. Notifies all nodes of
   * its end.
   */
  async remove(id: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `with ended as (delete from session where id = $1 returning id)
       select pg_notify('${endChannel}', id::text) from ended`,
      [id],
    );
    return rowCount === 1;
  }

  /** Deletes expired sessions with their credentials. */
  async removeExpired(): Promise<void> {
    await this.#pool.query(`delete from session where least(expires_at, ${getIdleEnd('$1')}) <= now()`, [
      this.#limits.idleMins,
    ]);
  }
}
