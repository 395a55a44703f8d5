const maxWarnings = 20;

/** Collects warnings about a feed, and counts those that are too many to show. */
export class WarningList {
  readonly #warnings: string[] = [];
  #more = 0;

  add(warning: string): void {
    if (this.#warnings.length < maxWarnings) this.#warnings.push(warning);
    else this.#more += 1;
  }

  list(): string[] {
    return this.#more === 0 ? this.#warnings : [...this.#warnings, `There are ${this.#more} more warnings.`];
  }
}
