/** Lets a loop sleep until there is something to do. A ring while nobody sleeps ends the next sleep at once. */
export class Alarm {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Returns when it rings, after the time, or when the signal ends everything. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#rung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        signal.addEventListener('abort', end);
        this.#wake = end;
      });
      this.#wake = undefined;
    }
    this.#rung = false;
  }
}
