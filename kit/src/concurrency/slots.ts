/**
 * A fixed number of slots shared by many owners of work, such as integrations. Waiting work is
 * queued per owner, and the owners take turns, so a busy one does not block the others.
 */
export class Slots {
  readonly #count: number;
  #working = 0;
  /** Queued work by owner, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(count: number) {
    this.#count = count;
  }

  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.#working >= this.#count) await this.#turn(owner);
    else this.#working += 1;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(owner: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#waiting.get(owner);
      if (queue) queue.push(resolve);
      else this.#waiting.set(owner, [resolve]);
    });
  }

  /**
   * Passes the slot to the next in line without releasing it, so that no other caller can take it.
   */
  #next(): void {
    const [first] = this.#waiting;
    if (!first) {
      this.#working -= 1;
      return;
    }
    const [owner, queue] = first;
    const start = queue.shift();
    this.#waiting.delete(owner);
    if (queue.length > 0) this.#waiting.set(owner, queue);
    start?.();
  }
}
