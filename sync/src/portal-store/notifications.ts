/**
 * Notifications between processes through PostgreSQL. A notification only wakes its receiver, which
 * then reads the tables; it also reads them periodically without one.
 */
import { backoffMs } from '@portal/kit/backoff';
import type { Logger } from '@portal/kit/logger';
import { toClientConfig } from '@portal/kit/postgres/database-address';
import type { Pool, PoolClient } from '@portal/kit/postgres/pool';
import pg from 'pg';

const channels = {
  integration: 'sync_integration',
  log: 'sync_log',
  wake: 'sync_wake',
  tryNow: 'sync_try_now',
} as const;
export type Channel = keyof typeof channels;

type Db = Pick<PoolClient | Pool, 'query'>;

async function notify(db: Db, channel: Channel, id: string): Promise<void> {
  await db.query('select pg_notify($1, $2)', [channels[channel], id]);
}

/** Notifies that the configuration, status or lease of an integration has changed. */
export const notifyIntegrationChanged = (db: Db, id: string) => notify(db, 'integration', id);
/** Notifies that the engine state of an integration was changed from outside its run. */
export const wakeRun = (db: Db, id: string) => notify(db, 'wake', id);
/** Notifies the run of an integration that an operator wants its next attempt now. */
export const requestAttempt = (db: Db, id: string) => notify(db, 'tryNow', id);

type Listener = (id: string) => void;

const backoff = { initialMs: 200, maxMs: 5_000 };

/** Holds one listening connection per process, and reconnects when it is lost. */
export class Notifications {
  readonly #url: string;
  readonly #logger: Logger;
  readonly #listeners = new Map<Channel, Set<Listener>>();
  readonly #onReconnect = new Set<() => void>();
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #stopped = false;

  constructor(url: string, logger: Logger) {
    this.#url = url;
    this.#logger = logger;
  }

  /** Resolves when it is listening. Throws when the first connection fails. */
  async start(): Promise<void> {
    await this.#connect();
  }

  /** Adds a listener. Returns a function that removes it. */
  on(channel: Channel, listener: Listener): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Calls the listener after a reconnect: notifications sent in between were missed. */
  onReconnect(listener: () => void): void {
    this.#onReconnect.add(listener);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      ...toClientConfig(this.#url),
      application_name: 'portal sync: listens',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', (error) => this.#logger.warn({ reason: error.message }, 'the listening connection was lost'));
    client.on('notification', ({ channel, payload = '' }) => this.#dispatch(channel, payload));
    await client.connect();
    try {
      for (const channel of Object.values(channels)) await client.query(`listen ${channel}`);
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
            for (const listener of this.#onReconnect) listener();
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

  #dispatch(channel: string, id: string): void {
    for (const [name, listeners] of this.#listeners) {
      if (channels[name] === channel) for (const listener of listeners) listener(id);
    }
  }
}
