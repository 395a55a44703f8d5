interface Waiter {
  readonly isMet: () => boolean;
  readonly resume: () => void;
}

/**
 * Waiters are callers that wait until their owner reaches a state. The owner checks them after each
 * change.
 */
export class Waiters {
  readonly #waiting = new Set<Waiter>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /**
   * Resolves as soon as the condition is met; rejects with the signal's reason when it is aborted
   * first.
   */
  async waitUntil(isMet: () => boolean, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (isMet()) return;
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        this.#waiting.delete(waiter);
        signal.removeEventListener('abort', abort);
      };
      const resume = () => {
        stop();
        resolve();
      };
      const abort = () => {
        stop();
        reject(signal.reason);
      };
      const waiter: Waiter = { isMet, resume };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', abort);
    });
  }

  check(): void {
    for (const { isMet, resume } of this.#waiting) if (isMet()) resume();
  }
}
