/**
 * A fixed number of working slots for all integrations. Who wants one queues with its own kind: the
 * integrations take turns, so one with much to do does not keep the others waiting.
 */
export class Slots {
  readonly #count: number;
  #working = 0;
  /** Integrations that wait, in the order of their turns, each with its pieces of work. */
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

  /** Hands the slot on without freeing it, so that nobody slips in between. */
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
