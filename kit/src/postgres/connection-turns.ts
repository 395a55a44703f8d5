/**
 * Decides who uses one of a fixed number of connections next. Opening a connection as another owner
 * costs far more than a query. So while others wait, an owner keeps its turn for a moment between
 * two uses, and passes it to its own next use first. After a while, the next owner has its turn.
 */
import { poolExhaustedMessage } from './pool.ts';

export interface TurnTimes {
  /** How long an owner waits. */
  readonly waitMs?: number;
  /** How long an owner may use the same turn while others wait. */
  readonly burstMs?: number;
  /** How long a turn is kept for the next use of its owner while others wait. */
  readonly lingerMs?: number;
}

interface Turn {
  readonly owner: string;
  readonly startedMs: number;
}

type Waiter = (turn: Turn) => void;

const defaults = { waitMs: 5_000, burstMs: 100, lingerMs: 20 };

export class ConnectionTurns {
  readonly #max: number;
  readonly #times: Required<TurnTimes>;
  #taken = 0;
  /** By owner, in the order of their turns. */
  readonly #waiting = new Map<string, Waiter[]>();
  readonly #kept = new Map<Turn, NodeJS.Timeout>();

  constructor(max: number, times: TurnTimes = {}) {
    this.#max = max;
    this.#times = { ...defaults, ...times };
  }

  /** Whether a turn is kept for the next use of an owner. */
  keeps(owner: string): boolean {
    return [...this.#kept.keys()].some((turn) => turn.owner === owner);
  }

  /**
   * Waits for a turn. Returns a function that ends it. Throws as a pool whose connections are all
   * in use.
   */
  async take(owner: string): Promise<() => void> {
    const turn = this.#takeKept(owner) ?? this.#takeFree(owner) ?? (await this.#wait(owner));
    return () => this.#end(turn);
  }

  #takeKept(owner: string): Turn | undefined {
    const kept = [...this.#kept.keys()].find((turn) => turn.owner === owner);
    if (!kept) return undefined;
    clearTimeout(this.#kept.get(kept));
    this.#kept.delete(kept);
    return kept;
  }

  #takeFree(owner: string): Turn | undefined {
    if (this.#taken >= this.#max) return undefined;
    this.#taken += 1;
    return { owner, startedMs: performance.now() };
  }

  #wait(owner: string): Promise<Turn> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = (turn) => {
        clearTimeout(timer);
        resolve(turn);
      };
      const timer = setTimeout(() => {
        this.#setQueue(
          owner,
          (this.#waiting.get(owner) ?? []).filter((other) => other !== waiter),
        );
        reject(new Error(poolExhaustedMessage));
      }, this.#times.waitMs);
      this.#setQueue(owner, [...(this.#waiting.get(owner) ?? []), waiter]);
    });
  }

  #end(turn: Turn): void {
    const isOver = performance.now() - turn.startedMs >= this.#times.burstMs;
    if (isOver || this.#waiting.size === 0) this.#pass();
    else {
      const next = this.#shift(turn.owner);
      if (next) next(turn);
      else this.#keep(turn);
    }
  }

  #keep(turn: Turn): void {
    const passOn = () => {
      this.#kept.delete(turn);
      this.#pass();
    };
    this.#kept.set(turn, setTimeout(passOn, this.#times.lingerMs));
  }

  /** Passes the place to the owner whose turn is next, so that no other can take it. */
  #pass(): void {
    const [owner] = this.#waiting.keys();
    const next = owner === undefined ? undefined : this.#shift(owner);
    if (owner === undefined || !next) {
      this.#taken -= 1;
      return;
    }
    // It goes to the end of the line.
    const queue = this.#waiting.get(owner);
    if (queue) {
      this.#waiting.delete(owner);
      this.#waiting.set(owner, queue);
    }
    next({ owner, startedMs: performance.now() });
  }

  #shift(owner: string): Waiter | undefined {
    const [next, ...others] = this.#waiting.get(owner) ?? [];
    this.#setQueue(owner, others);
    return next;
  }

  #setQueue(owner: string, queue: Waiter[]): void {
    if (queue.length > 0) this.#waiting.set(owner, queue);
    else this.#waiting.delete(owner);
  }
}
