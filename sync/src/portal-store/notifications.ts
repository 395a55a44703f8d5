/**
 * What processes tell each other through PostgreSQL. A notification only wakes: whoever hears one
 * reads the tables, and reads them from time to time without having heard any.
 */
import { backoffMs } from '@portal/kit/backoff';
import type { Logger } from '@portal/kit/logger';
import type { Pool, PoolClient } from '@portal/kit/postgres/pool';
import pg from 'pg';

const channels = { integration: 'sync_integration', log: 'sync_log', wake: 'sync_wake' } as const;
export type Channel = keyof typeof channels;

type Db = Pick<PoolClient | Pool, 'query'>;

async function notify(db: Db, channel: Channel, id: string): Promise<void> {
  await db.query('select pg_notify($1, $2)', [channels[channel], id]);
}

/** Its configuration, status or lease. */
export const notifyIntegrationChanged = (db: Db, id: string) => notify(db, 'integration', id);
/** The engine's own state of it was changed from outside its run. */
export const wakeRun = (db: Db, id: string) => notify(db, 'wake', id);

type Listener = (id: string) => void;

const backoff = { initialMs: 200, maxMs: 5_000 };

/** One connection that listens for this process, made anew whenever it is lost. */
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

  /** Settles when it listens; throws when it cannot at the first time. */
  async start(): Promise<void> {
    await this.#connect();
  }

  /** Answers what ends the listening. */
  on(channel: Channel, listener: Listener): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Called when it listens again: what was told meanwhile was not heard. */
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
      connectionString: this.#url,
      application_name: 'portal sync: listens',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', (error) => this.#logger.warn({ reason: error.message }, 'the listening connection was lost'));
    client.on('notification', ({ channel, payload = '' }) => this.#dispatch(channel, payload));
    await client.connect();
    client.once('end', () => this.#reconnect(client));
    for (const channel of Object.values(channels)) await client.query(`listen ${channel}`);
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
            this.#logger.warn({ reason: error.message }, 'cannot listen');
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
