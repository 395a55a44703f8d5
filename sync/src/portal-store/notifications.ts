/**
 * Notifications between processes through PostgreSQL. A notification only wakes its receiver, which
 * then reads the tables; it also reads them periodically without one.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs } from '@portal/kit/backoff';
import type { Logger } from '@portal/kit/logger';
import { toClientConfig } from '@portal/kit/postgres/database-address';
import type { Pool, PoolClient } from '@portal/kit/postgres/pool';
import { isOwnSession } from '@portal/kit/postgres/session';
import pg from 'pg';

const channels = {
  integration: 'sync_integration',
  log: 'sync_log',
  wake: 'sync_wake',
  /** Of this class: whether it hears anything. */
  check: 'sync_check',
} as const;
type Channel = Exclude<keyof typeof channels, 'check'>;

type Db = Pick<PoolClient | Pool, 'query'>;

async function notify(db: Db, channel: keyof typeof channels, id: string): Promise<void> {
  await db.query('select pg_notify($1, $2)', [channels[channel], id]);
}

/** Notifies that the configuration, status or lease of an integration has changed. */
export const notifyIntegrationChanged = (db: Db, id: string) => notify(db, 'integration', id);
/** Notifies that the engine state of an integration was changed from outside its run. */
export const wakeRun = (db: Db, id: string) => notify(db, 'wake', id);

type Listener = (id: string) => void;

const backoff = { initialMs: 200, maxMs: 5_000 };

export interface NotificationsOptions {
  /** The address of the listening connection. A pooler delivers no notifications. */
  readonly url: string;
  /** Sends the notifications that check the listening connection. */
  readonly pool: Pool;
  readonly logger: Logger;
  /** How long a notification may take. Default: 2 s. */
  readonly heardWithinMs?: number;
  /** How often listeners read the tables while nothing is heard. Default: 500 ms. */
  readonly pollMs?: number;
}

const checkIntervalMs = 60_000;

const unheard =
  'Notifications of the database are not delivered, so its tables are read twice a second. Set databaseDirectUrl to an address without a pooler.';

/**
 * Holds one listening connection per process, and reconnects when it is lost. Notifies itself once
 * a minute; while it does not hear that, listeners read the tables periodically.
 */
export class Notifications {
  readonly #options: NotificationsOptions;
  readonly #logger: Logger;
  readonly #listeners = new Map<Channel, Set<Listener>>();
  readonly #onMissed = new Set<() => void>();
  /** By what was sent. */
  readonly #checks = new Map<string, () => void>();
  readonly #checkTimer: NodeJS.Timeout;
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #polling: NodeJS.Timeout | undefined;
  #isListening = false;
  #failures = 0;
  #stopped = false;

  constructor(options: NotificationsOptions) {
    this.#options = options;
    this.#logger = options.logger;
    this.#checkTimer = setInterval(() => void this.check(), checkIntervalMs).unref();
  }

  /** What operators should know; undefined while notifications are heard. */
  get warning(): string | undefined {
    return this.#polling && unheard;
  }

  /** Resolves when it is connected. Throws when the first connection fails. */
  async start(): Promise<void> {
    await this.#connect();
    void this.check();
  }

  /**
   * Notifies itself, and returns whether it heard that. Returns undefined when the database could not
   * be asked: a lost connection is restored anyway.
   */
  async check(): Promise<boolean | undefined> {
    const client = this.#client;
    if (!client) return undefined;
    const id = randomUUID();
    const isHeardNow = new Promise<boolean>((resolve) => this.#checks.set(id, () => resolve(true)));
    try {
      await notify(this.#options.pool, 'check', id);
      const isLate = pause(this.#options.heardWithinMs ?? 2_000, false, { ref: false });
      const isHeard = this.#isListening && (await Promise.race([isHeardNow, isLate]));
      if (this.#client !== client || this.#stopped) return undefined;
      this.#setHeard(isHeard);
      return isHeard;
    } catch (error) {
      if (!this.#stopped) this.#logger.warn({ reason: String(error) }, 'the listening connection could not be checked');
      return undefined;
    } finally {
      this.#checks.delete(id);
    }
  }

  /** Adds a listener. Returns a function that removes it. */
  on(channel: Channel, listener: Listener): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /**
   * Calls the listener when notifications may have been missed: after a reconnect, and periodically
   * while nothing is heard.
   */
  onMissed(listener: () => void): void {
    this.#onMissed.add(listener);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    clearInterval(this.#checkTimer);
    clearInterval(this.#polling);
    await this.#client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      ...toClientConfig(this.#options.url),
      application_name: 'portal sync: listens',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', (error) => this.#logger.warn({ reason: error.message }, 'the listening connection was lost'));
    client.on('notification', ({ channel, payload = '' }) => this.#dispatch(channel, payload));
    await client.connect();
    try {
      // Through a pooler, another client's session would listen.
      this.#isListening = await isOwnSession(client, this.#options.url);
      if (this.#isListening) for (const channel of Object.values(channels)) await client.query(`listen ${channel}`);
    } catch (error) {
      // A standby rejects LISTEN, and its connection would stay open at every attempt.
      await client.end();
      throw error;
    }
    client.once('end', () => this.#reconnect(client));
    this.#client = client;
    this.#failures = 0;
    if (this.#stopped) await client.end();
  }

  #reconnect(lost: pg.Client): void {
    if (this.#stopped || (this.#client !== lost && this.#client !== undefined)) return;
    this.#client = undefined;
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#stopped) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(
      () => {
        this.#connect().then(
          () => {
            this.#announceMissed();
            void this.check();
          },
          (error: Error) => {
            this.#failures += 1;
            this.#logger.warn({ reason: error.message }, 'the listening connection could not be restored');
            this.#retryLater();
          },
        );
      },
      backoffMs(this.#failures, backoff),
    );
  }

  #setHeard(isHeard: boolean): void {
    if (isHeard === (this.#polling === undefined)) return;
    clearInterval(this.#polling);
    this.#polling = undefined;
    if (isHeard) {
      this.#logger.info('notifications of the database are delivered again');
      return;
    }
    this.#logger.warn(unheard);
    this.#polling = setInterval(() => this.#announceMissed(), this.#options.pollMs ?? 500);
  }

  #announceMissed(): void {
    for (const listener of this.#onMissed) listener();
  }

  #dispatch(channel: string, id: string): void {
    if (channel === channels.check) this.#checks.get(id)?.();
    for (const [name, listeners] of this.#listeners) {
      if (channels[name] === channel) for (const listener of listeners) listener(id);
    }
  }
}
