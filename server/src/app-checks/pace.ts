import type { Clock } from './clock.ts';

/** Spaces the calls to one system. */
export class Pace {
  readonly #clock: Clock;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits until the next call is due. */
  async wait(signal: AbortSignal): Promise<void> {
    const ms = this.#nextAt - this.#clock.now();
    if (ms > 0) await this.#clock.pause(ms, signal);
  }

  /** Allows the next call this long from now. */
  rest(ms: number): void {
    this.#nextAt = this.#clock.now() + ms;
  }
}
