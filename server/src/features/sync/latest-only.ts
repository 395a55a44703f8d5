import { setTimeout as wait } from 'node:timers/promises';
import { Busy } from '@portal/kit/problems';

interface Options<Item> {
  /** The shortest time between two items of a key, in milliseconds. */
  readonly spacingMs: number;
  /** The maximum number of keys at the same time. */
  readonly maxKeys: number;
  readonly handle: (key: string, item: Item) => Promise<void>;
}

interface Pending<Item> {
  item: Item;
  /** Resolves when the item, or a later one, was handled. */
  readonly done: Promise<void>;
}

interface Line<Item> {
  running: Promise<void>;
  next: Pending<Item> | undefined;
}

const retryAfterSeconds = 5;

/**
 * LatestOnly handles one item of each key at a time. Of those that arrive while it does, it handles
 * the latest only, and all of them get its result.
 */
export class LatestOnly<Item> {
  readonly #options: Options<Item>;
  readonly #lines = new Map<string, Line<Item>>();

  constructor(options: Options<Item>) {
    this.#options = options;
  }

  /**
   * Resolves when the item, or a later one, was handled. Throws Busy when there are too many keys.
   */
  run(key: string, item: Item): Promise<void> {
    const line = this.#lines.get(key);
    if (!line) return this.#start(key, item);
    if (line.next) line.next.item = item;
    else {
      const after = line.running;
      const next: Pending<Item> = {
        item,
        done: after.then(() => {
          line.next = undefined;
          return this.#handle(key, line, next.item);
        }),
      };
      line.next = next;
    }
    return line.next.done;
  }

  async #start(key: string, item: Item): Promise<void> {
    const { maxKeys } = this.#options;
    if (this.#lines.size >= maxKeys)
      throw new Busy('Too many webhooks are arriving at once. Try again in a few seconds.', retryAfterSeconds);
    const line: Line<Item> = { running: Promise.resolve(), next: undefined };
    this.#lines.set(key, line);
    await this.#handle(key, line, item);
  }

  #handle(key: string, line: Line<Item>, item: Item): Promise<void> {
    const handled = this.#options.handle(key, item);
    line.running = Promise.allSettled([handled, wait(this.#options.spacingMs)]).then(() => {
      if (!line.next) this.#lines.delete(key);
    });
    return handled;
  }
}
