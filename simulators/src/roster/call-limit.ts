const windowMs = 60_000;

/**
 * Counts the calls of a token in windows of a minute, and writes PagerDuty's headers about them.
 */
export class CallLimit {
  readonly #max: number;
  #windowStart = 0;
  #calls = 0;

  constructor(maxPerMinute: number) {
    this.#max = maxPerMinute;
  }

  count(): { readonly isAllowed: boolean; readonly headers: Readonly<Record<string, string>> } {
    const now = performance.now();
    if (now - this.#windowStart >= windowMs) {
      this.#windowStart = now;
      this.#calls = 0;
    }
    this.#calls += 1;
    return {
      isAllowed: this.#calls <= this.#max,
      headers: {
        'ratelimit-limit': String(this.#max),
        'ratelimit-remaining': String(Math.max(0, this.#max - this.#calls)),
        'ratelimit-reset': String(Math.ceil((this.#windowStart + windowMs - now) / 1000)),
      },
    };
  }
}
