/**
 * Notifications between processes through PostgreSQL. A notification only wakes its receiver, which
 * then reads the tables; it also reads them periodically without one.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { backoffMs } from '../backoff.ts';
import type { Logger } from '../logger.ts';
import { toClientConfig } from './database-address.ts';
import { closeAtOnce } from './open-connections.ts';
import type { Pool } from './pool.ts';
import { isOwnSession } from './session.ts';

type Listener = (id: string) => void;

const backoff = { initialMs: 200, maxMs: 5_000 };

export interface NotificationsOptions<Channel extends string> {
  /** The names of the channels in the database. */
  readonly channels: Readonly<Record<Channel, string>>;
  /** A channel on which each process checks whether it hears anything. */
  readonly checkChannel: string;
  readonly applicationName: string;
  /** The address of the listening connection. A pooler delivers no notifications. */
  readonly url: string;
  /** Sends the notifications that check the listening connection. */
  readonly pool: Pool;
  readonly logger: Logger;
  readonly timing?: Partial<NotificationTiming>;
}

export interface NotificationTiming {
  /** How often a process checks whether it hears anything. */
  readonly checkEveryMs: number;
  /** How long a notification may take. */
  readonly heardWithinMs: number;
  /** How often listeners read the tables while nothing is heard. */
  readonly pollMs: number;
  /** How long a new connection, and each statement on it, may take. */
  readonly connectTimeoutMs: number;
}

/**
 * A connection that has died without a sign is replaced within half a minute, also if the one that
 * notifies has died with it.
 */
export const defaultNotificationTiming: NotificationTiming = {
  checkEveryMs: 8_000,
  heardWithinMs: 2_000,
  pollMs: 500,
  connectTimeoutMs: 5_000,
};

const unheard =
  'Notifications of the database are not delivered, so its tables are read twice a second. Set databaseDirectUrl to an address without a pooler.';

/**
 * Holds one listening connection per process, and reconnects when it is lost. Notifies itself now
 * and then. While it does not hear that, listeners read the tables periodically, and a connection
 * that has heard it before is replaced.
 */
export class Notifications<Channel extends string> {
  readonly #options: NotificationsOptions<Channel>;
  readonly #logger: Logger;
  /** By the name of the channel in the database. */
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #onMissed = new Set<() => void>();
  /** By the id that was sent. */
  readonly #checks = new Map<string, () => void>();
  readonly #checkTimer: NodeJS.Timeout;
  readonly #timing: NotificationTiming;
  #client: pg.Client | undefined;
  /** The connection on which the last check was heard. */
  #heardOn: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #polling: NodeJS.Timeout | undefined;
  #isListening = false;
  #failures = 0;
  #stopped = false;

  constructor(options: NotificationsOptions<Channel>) {
    this.#options = options;
    this.#logger = options.logger;
    this.#timing = { ...defaultNotificationTiming, ...options.timing };
    this.#checkTimer = setInterval(() => void this.check(), this.#timing.checkEveryMs).unref();
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
   * Notifies itself, and returns whether it heard that. Returns undefined when the database
   * cannot be reached: a lost connection is restored anyway.
   */
  async check(): Promise<boolean | undefined> {
    const client = this.#client;
    if (!client) return undefined;
    const id = randomUUID();
    const arrival = new Promise<boolean>((resolve) => this.#checks.set(id, () => resolve(true)));
    try {
      await this.#options.pool.query('select pg_notify($1, $2)', [this.#options.checkChannel, id]);
      const timeout = pause(this.#timing.heardWithinMs, false, { ref: false });
      const isHeard = this.#isListening && (await Promise.race([arrival, timeout]));
      if (this.#client !== client || this.#stopped) return undefined;
      this.#setHeard(isHeard);
      if (isHeard) this.#heardOn = client;
      // Its other end may be gone without a sign. Closing it in order would wait for an answer.
      else if (this.#heardOn === client) closeAtOnce(client);
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
    const name = this.#options.channels[channel];
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
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
    const { url, applicationName, channels, checkChannel } = this.#options;
    const client = new pg.Client({
      ...toClientConfig(url),
      application_name: applicationName,
      keepAlive: true,
      connectionTimeoutMillis: this.#timing.connectTimeoutMs,
      query_timeout: this.#timing.connectTimeoutMs,
    });
    client.on('error', (error) => this.#logger.warn({ reason: error.message }, 'the listening connection was lost'));
    client.on('notification', ({ channel, payload = '' }) => this.#dispatch(channel, payload));
    await client.connect();
    try {
      // Through a pooler, another client's session would listen.
      this.#isListening = await isOwnSession(client, url);
      const names = this.#isListening ? [checkChannel, ...Object.values<string>(channels)] : [];
      for (const name of names) await client.query(`listen ${name}`);
    } catch (error) {
      // A standby rejects LISTEN, and its connection would stay open at every attempt.
      closeAtOnce(client);
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
    this.#polling = setInterval(() => this.#announceMissed(), this.#timing.pollMs);
  }

  #announceMissed(): void {
    for (const listener of this.#onMissed) listener();
  }

  #dispatch(channel: string, id: string): void {
    if (channel === this.#options.checkChannel) this.#checks.get(id)?.();
    for (const listener of this.#listeners.get(channel) ?? []) listener(id);
  }
}
