import { setTimeout as wait } from 'node:timers/promises';
import { Busy, type Problem } from '@portal/kit/problems';

/** One per item, in their order; null for an item that is accepted. */
export type Verdicts = readonly (Problem | null)[];

interface Options<Item> {
  /** The shortest time between two batches, in milliseconds. */
  readonly spacingMs: number;
  readonly getBytes: (item: Item) => number;
  /** The size of a batch, unless a single item is larger. */
  readonly batchBytes: number;
  /** How many bytes may wait, in total and per sender. */
  readonly waitingBytes: number;
  readonly waitingBytesPerSender: number;
  readonly judge: (items: readonly Item[]) => Promise<Verdicts>;
}

interface Waiter<Item> {
  readonly item: Item;
  readonly bytes: number;
  readonly accept: () => void;
  readonly reject: (problem: unknown) => void;
}

/** What waits of one sender; the first is next. */
interface Line<Item> {
  readonly waiters: Waiter<Item>[];
  bytes: number;
}

const retryAfterSeconds = 5;

/**
 * Judges the items of all senders in batches, one at a time. Each item gets its own verdict.
 * Senders take turns, so that one who sends many does not delay the others.
 */
export class FairBatches<Item> {
  readonly #options: Options<Item>;
  /** By sender; the one whose last turn was the longest ago is first. */
  readonly #lines = new Map<string, Line<Item>>();
  #waitingBytes = 0;
  #isRunning = false;

  constructor(options: Options<Item>) {
    this.#options = options;
  }

  /**
   * Returns when the item is accepted. Throws the problem with it, or Busy if too much is waiting.
   */
  run(sender: string, item: Item): Promise<void> {
    const { getBytes, waitingBytes, waitingBytesPerSender } = this.#options;
    const bytes = getBytes(item);
    const line = this.#lines.get(sender) ?? { waiters: [], bytes: 0 };
    if (line.bytes + bytes > waitingBytesPerSender || this.#waitingBytes + bytes > waitingBytes)
      throw new Busy('Too many webhooks are arriving at once. Try again in a few seconds.', retryAfterSeconds);
    return new Promise((accept, reject) => {
      line.waiters.push({ item, bytes, accept, reject });
      line.bytes += bytes;
      this.#waitingBytes += bytes;
      this.#lines.set(sender, line);
      if (!this.#isRunning) void this.#judgeAll();
    });
  }

  async #judgeAll(): Promise<void> {
    this.#isRunning = true;
    while (this.#lines.size > 0) await Promise.all([this.#judge(this.#takeBatch()), wait(this.#options.spacingMs)]);
    this.#isRunning = false;
  }

  async #judge(batch: readonly Waiter<Item>[]): Promise<void> {
    try {
      const verdicts = await this.#options.judge(batch.map(({ item }) => item));
      for (const [at, { accept, reject }] of batch.entries()) {
        // An item without a verdict is not accepted.
        const problem = verdicts[at];
        if (problem === null) accept();
        else reject(problem ?? new Error('An item has no verdict.'));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Takes one item of each sender in turn, until the batch is full or nothing waits. */
  #takeBatch(): Waiter<Item>[] {
    const batch: Waiter<Item>[] = [];
    let room = this.#options.batchBytes;
    // A sender that has more waiting is appended to the map, so this continues with the next round.
    for (const [sender, line] of this.#lines) {
      const [next] = line.waiters;
      if (!next || (next.bytes > room && batch.length > 0)) break;
      line.waiters.shift();
      line.bytes -= next.bytes;
      this.#waitingBytes -= next.bytes;
      room -= next.bytes;
      batch.push(next);
      this.#lines.delete(sender);
      if (line.waiters.length > 0) this.#lines.set(sender, line);
    }
    return batch;
  }
}
