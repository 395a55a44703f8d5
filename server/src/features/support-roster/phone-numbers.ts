const mark = '•';

/**
 * Masks a number except for its last two digits: enough to recognize a known number, but not to
 * call it.
 */
export function maskNumber(number: string): string {
  const digits = number.replace(/\D/g, '');
  return `••• ••${digits.length < 6 ? '••' : digits.slice(-2)}`;
}

/** Checks whether a number was masked by `maskNumber`. */
export function isMasked(number: string): boolean {
  return number.includes(mark);
}

/** Phone numbers by name, ignoring case and spacing. */
export class PeopleList {
  readonly #numbers: ReadonlyMap<string, string>;

  constructor(people: readonly { readonly name: string; readonly number: string }[]) {
    this.#numbers = new Map(people.map(({ name, number }) => [toKey(name), number]));
  }

  findNumber(name: string): string | undefined {
    return this.#numbers.get(toKey(name));
  }
}

function toKey(name: string): string {
  return name.trim().replace(/\s+/g, ' ').toLowerCase();
}
