/**
 * The WakeSignal lets a loop sleep until there is something to do. A wake-up that arrives while the
 * loop is awake ends its next sleep at once.
 */
export class WakeSignal {
  #isPending = false;
  #endSleep: (() => void) | undefined;

  wake(): void {
    this.#isPending = true;
    this.#endSleep?.();
  }

  /**
   * Returns on a wake-up, after the time, or when the signal is aborted: whether it did not sleep
   * for the whole time.
   */
  async sleep(ms: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#isPending && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        signal.addEventListener('abort', end);
        this.#endSleep = end;
      });
      this.#endSleep = undefined;
    }
    const isEarly = this.#isPending || signal.aborted;
    this.#isPending = false;
    return isEarly;
  }
}
