/**
 * Decides who uses one of a fixed number of connections next. Opening a connection as another owner
 * costs far more than a query. So while others wait, an owner keeps its turn for a moment between
 * two uses, and passes it to its own next use first. After a while, the next owner has its turn.
 */
import { poolExhaustedMessage } from './pool.ts';

export interface TurnTimes {
  /** How long an owner waits. */
  readonly waitMs?: number;
  /**
   * How long an owner may use the same turn while others wait, once its connection is open. An
   * owner whose connection took longer to open may use it for as long.
   */
  readonly burstMs?: number;
  /** How long a turn is kept for the next use of its owner while others wait. */
  readonly lingerMs?: number;
  /** How long an owner waits for a turn that it has before it takes another one in addition. */
  readonly ownMs?: number;
}

/** A use of one of the connections. */
export interface Turn {
  /** Its connection is open: from now on, the time counts for which others wait. */
  readonly start: () => void;
  readonly end: () => void;
}

interface Taken {
  readonly owner: string;
  readonly takenMs: number;
  /** When others may have it; not before its connection is open. */
  overMs: number;
}

interface Waiter {
  /** Whether it leaves the turns of others alone while its owner has one. */
  prefersOwn: boolean;
  readonly resolve: (turn: Taken) => void;
}

const defaults = { waitMs: 5_000, burstMs: 100, lingerMs: 20, ownMs: 250 };

export class ConnectionTurns {
  readonly #max: number;
  readonly #times: Required<TurnTimes>;
  readonly #taken = new Set<Taken>();
  /** By owner, in the order of their turns. */
  readonly #waiting = new Map<string, Waiter[]>();
  readonly #kept = new Map<Taken, NodeJS.Timeout>();

  constructor(max: number, times: TurnTimes = {}) {
    this.#max = max;
    this.#times = { ...defaults, ...times };
  }

  /** Whether an owner has a turn, which it uses or which is kept for its next use. */
  has(owner: string): boolean {
    return [...this.#taken].some((turn) => turn.owner === owner);
  }

  /** Returns how many turns are kept for the next uses of an owner. */
  countKept(owner: string): number {
    return this.#listKept(owner).length;
  }

  /**
   * Waits for a turn. Throws as a pool whose connections are all in use.
   *
   * @param prefersOwn whether the owner waits a while for a turn that it has, or waits for, already
   */
  async take(owner: string, prefersOwn = false): Promise<Turn> {
    const hasOwn = this.has(owner) || this.#waiting.has(owner);
    const free = this.#takeKept(owner) ?? (prefersOwn && hasOwn ? undefined : this.#takeFree(owner));
    const turn = free ?? (await this.#wait(owner, prefersOwn));
    return { start: () => this.#start(turn), end: () => this.#end(turn) };
  }

  #listKept(owner: string): Taken[] {
    return [...this.#kept.keys()].filter((turn) => turn.owner === owner);
  }

  #takeKept(owner: string): Taken | undefined {
    const [kept] = this.#listKept(owner);
    if (!kept) return undefined;
    clearTimeout(this.#kept.get(kept));
    this.#kept.delete(kept);
    return kept;
  }

  #takeFree(owner: string): Taken | undefined {
    if (this.#taken.size >= this.#max) return undefined;
    const turn = { owner, takenMs: performance.now(), overMs: Number.POSITIVE_INFINITY };
    this.#taken.add(turn);
    return turn;
  }

  #wait(owner: string, prefersOwn: boolean): Promise<Taken> {
    return new Promise((resolve, reject) => {
      const finish = () => {
        clearTimeout(last);
        clearInterval(own);
        this.#remove(owner, waiter);
      };
      const waiter: Waiter = {
        prefersOwn,
        resolve(turn) {
          finish();
          resolve(turn);
        },
      };
      const last = setTimeout(() => {
        finish();
        reject(new Error(poolExhaustedMessage));
      }, this.#times.waitMs);
      const takeAny = () => {
        if (!this.has(owner)) return;
        waiter.prefersOwn = false;
        const turn = this.#takeFree(owner);
        if (turn) waiter.resolve(turn);
      };
      const own = prefersOwn ? setInterval(takeAny, this.#times.ownMs) : undefined;
      this.#setQueue(owner, [...(this.#waiting.get(owner) ?? []), waiter]);
    });
  }

  #start(turn: Taken): void {
    if (turn.overMs < Number.POSITIVE_INFINITY) return;
    const now = performance.now();
    turn.overMs = now + Math.max(this.#times.burstMs, now - turn.takenMs);
  }

  #end(turn: Taken): void {
    const isWanted = this.#findNext(turn.owner) !== undefined;
    const isOver = isWanted && performance.now() >= turn.overMs;
    const next = isOver ? undefined : this.#shift(turn.owner);
    if (next) next.resolve(turn);
    else if (isWanted && !isOver) this.#keep(turn);
    else this.#pass(turn);
  }

  #keep(turn: Taken): void {
    const passOn = () => {
      this.#kept.delete(turn);
      this.#pass(turn);
    };
    this.#kept.set(turn, setTimeout(passOn, this.#times.lingerMs));
  }

  /** Passes the place to the owner whose turn is next, before any other can take it. */
  #pass(turn: Taken): void {
    this.#taken.delete(turn);
    const owner = this.#findNext();
    const next = owner === undefined ? undefined : this.#shift(owner);
    const taken = owner !== undefined && next ? this.#takeFree(owner) : undefined;
    if (owner === undefined || !taken) return;
    // It goes to the end of the line.
    const queue = this.#waiting.get(owner);
    if (queue) {
      this.#waiting.delete(owner);
      this.#waiting.set(owner, queue);
    }
    next?.resolve(taken);
  }

  /** Returns the first owner that waits for a turn of any other, besides the one that has it. */
  #findNext(holder?: string): string | undefined {
    for (const [owner, queue] of this.#waiting)
      if (owner !== holder && (!this.has(owner) || queue.some(({ prefersOwn }) => !prefersOwn))) return owner;
    return undefined;
  }

  #shift(owner: string): Waiter | undefined {
    const [next] = this.#waiting.get(owner) ?? [];
    if (next) this.#remove(owner, next);
    return next;
  }

  #remove(owner: string, waiter: Waiter): void {
    this.#setQueue(
      owner,
      (this.#waiting.get(owner) ?? []).filter((other) => other !== waiter),
    );
  }

  #setQueue(owner: string, queue: Waiter[]): void {
    if (queue.length > 0) this.#waiting.set(owner, queue);
    else this.#waiting.delete(owner);
  }
}
