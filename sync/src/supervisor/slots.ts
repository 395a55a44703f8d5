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

  async run<T>(no: string, work: () => Promise<T>): Promise<T> {
    if (this.#working >= this.#count) await this.#turn(no);
    else this.#working += 1;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(no: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#waiting.get(no);
      if (queue) queue.push(resolve);
      else this.#waiting.set(no, [resolve]);
    });
  }

  /** Hands the slot on without freeing it, so that nobody slips in between. */
  #next(): void {
    const [first] = this.#waiting;
    if (!first) {
      this.#working -= 1;
      return;
    }
    const [no, queue] = first;
    const begin = queue.shift();
    this.#waiting.delete(no);
    if (queue.length > 0) this.#waiting.set(no, queue);
    begin?.();
  }
}
