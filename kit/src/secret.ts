import { inspect } from 'node:util';

const MASK = '•••';

/** A text that shows itself to nobody who did not ask by name: JSON, logs, inspection and templates see `•••`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}
