import { inspect } from 'node:util';

const mask = '•••';

/** A text that only `reveal()` returns. JSON, logs, inspection and templates show `•••`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [inspect.custom](): string {
    return mask;
  }
}
