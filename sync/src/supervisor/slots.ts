/**
 * A fixed number of slots shared by many integrations. Waiting work is queued per integration, and
 * the integrations take turns, so a busy one does not block the others.
 */
export class Slots {
  readonly #count: number;
  #working = 0;
  /** Queued work by integration, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(count: number) {
    this.#count = count;
  }

  async run<T>(integrationId: string, work: () => Promise<T>): Promise<T> {
    if (this.#working >= this.#count) await this.#turn(integrationId);
    else this.#working += 1;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(integrationId: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#waiting.get(integrationId);
      if (queue) queue.push(resolve);
      else this.#waiting.set(integrationId, [resolve]);
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
    const [integrationId, queue] = first;
    const start = queue.shift();
    this.#waiting.delete(integrationId);
    if (queue.length > 0) this.#waiting.set(integrationId, queue);
    start?.();
  }
}
