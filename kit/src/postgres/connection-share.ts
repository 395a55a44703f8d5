/**
 * Lets several pools, such as those of different logins, share one number of connections. Their
 * owners take turns, and an idle connection of one is closed when another one needs its place.
 */
import { once } from 'node:events';
import pg from 'pg';
import { ConnectionTurns, type Turn, type TurnTimes } from './connection-turns.ts';
import type { Pool, PoolClient } from './pool.ts';
import { resetSession } from './session.ts';

interface Member {
  readonly owner: string;
  readonly pool: Pool;
  /** Connects without regard to the others. */
  readonly connect: () => Promise<PoolClient>;
  readonly prepare: Prepare;
  /** How many of its uses wait or are under way. */
  uses: number;
  /** The preparation under way. */
  preparing?: Promise<void> | undefined;
  /** How many of its idle connections are about to be lent or closed. */
  promised: number;
  /** A greater number is a later use. */
  lastUse: number;
}

/** Makes a login ready that is about to connect, or whose password was refused. */
type Prepare = (isRefused?: boolean) => Promise<void>;
type Connected = (error: Error | undefined, client: PoolClient | undefined, release: Release) => void;
type Release = (failure?: Error | boolean) => void;

const passwordRefused = '28P01';
const inNeedOfReset = new WeakSet<object>();

/**
 * Has the session of a lent connection reset before its next use, because code of others may have
 * changed its settings, or left temporary tables or locks.
 */
export function resetAfterUse(client: object): void {
  inNeedOfReset.add(client);
}

export class ConnectionShare {
  readonly #max: number;
  readonly #turns: ConnectionTurns;
  readonly #members: Member[] = [];
  /** Connections that are about to be opened. */
  #reserved = 0;
  #uses = 0;

  /** @param max connections in use and open at the same time */
  constructor(max: number, times?: TurnTimes) {
    this.#max = max;
    this.#turns = new ConnectionTurns(max, times);
  }

  /**
   * Makes a pool take part, which must allow as many connections itself.
   *
   * @param prepare runs before a connection is opened, and again if the server refuses its password
   */
  add(owner: string, pool: Pool, prepare: Prepare = () => Promise.resolve()): void {
    const member: Member = { owner, pool, connect: pool.connect.bind(pool), prepare, uses: 0, promised: 0, lastUse: 0 };
    this.#members.push(member);
    const connect = (callback?: Connected) => {
      const lent = this.#lend(member);
      if (!callback) return lent;
      lent.then(
        (client) => callback(undefined, client, client.release),
        (error: Error) => callback(error, undefined, () => undefined),
      );
      return undefined;
    };
    Object.assign(pool, { connect });
  }

  async #lend(member: Member): Promise<PoolClient> {
    const isShort = member.uses >= member.pool.totalCount;
    // Otherwise its uses at the same time would each close a connection of others.
    const prefersOwn = isShort && member.uses > 0 && this.#countOpen() >= this.#max;
    member.uses += 1;
    let turn: Turn | undefined;
    const end = () => {
      member.uses -= 1;
      turn?.end();
    };
    try {
      // It may need a connection of its own, which a turn would keep from others.
      if (isShort) await (prefersOwn ? member.preparing : prepareOnce(member));
      turn = await this.#turns.take(member.owner, prefersOwn);
      // The connection that it was to use may have been closed in the meantime.
      if (!(isShort && !prefersOwn) && !hasIdle(member)) await prepareOnce(member);
      const client = await this.#connect(member).catch(async (error: unknown) => {
        if (!(error instanceof pg.DatabaseError) || error.code !== passwordRefused) throw error;
        await member.prepare(true);
        return this.#connect(member);
      });
      turn.start();
      const release: Release = client.release.bind(client);
      const finish: Release = (failure) => {
        release(failure);
        end();
      };
      client.release = (failure) => {
        if (failure || !inNeedOfReset.delete(client)) finish(failure);
        else
          resetSession(client).then(
            () => finish(),
            () => finish(true),
          );
      };
      return client;
    } catch (error) {
      end();
      throw error;
    }
  }

  async #connect(member: Member): Promise<PoolClient> {
    this.#uses += 1;
    member.lastUse = this.#uses;
    while (!hasIdle(member) && this.#countOpen() >= this.#max) if (!(await this.#closeIdle())) break;
    if (hasIdle(member)) return promise(member, () => member.connect());
    return member.connect();
  }

  #countOpen(): number {
    return this.#members.reduce((sum, { pool }) => sum + pool.totalCount, this.#reserved);
  }

  /** Closes the idle connection whose owner has not used any for the longest time. */
  async #closeIdle(): Promise<boolean> {
    const [oldest] = this.#members
      .filter((member) => hasIdle(member, this.#turns.countKept(member.owner)))
      .sort((one, other) => one.lastUse - other.lastUse);
    if (!oldest) return false;
    // Its place is taken before others look for one.
    this.#reserved += 1;
    try {
      const client = await promise(oldest, () => oldest.connect());
      const closed = once(oldest.pool, 'remove');
      client.release(true);
      await closed;
    } catch {
      // It was lost in the meantime.
    } finally {
      this.#reserved -= 1;
    }
    return true;
  }
}

/** @param kept those for its own next uses */
function hasIdle({ pool, promised }: Member, kept = 0): boolean {
  return pool.idleCount > promised + kept;
}

/** Uses at the same time are prepared together. */
function prepareOnce(member: Member): Promise<void> {
  member.preparing ??= member.prepare().finally(() => {
    member.preparing = undefined;
  });
  return member.preparing;
}

async function promise<T>(member: Member, work: () => Promise<T>): Promise<T> {
  member.promised += 1;
  try {
    return await work();
  } finally {
    member.promised -= 1;
  }
}
