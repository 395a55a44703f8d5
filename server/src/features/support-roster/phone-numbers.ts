const mark = '•';

/**
 * Enough to recognise a number that one knows, and not to call one that one does not: its last two
 * digits.
 */
export function maskNumber(number: string): string {
  const digits = number.replace(/\D/g, '');
  return `••• ••${digits.length < 6 ? '••' : digits.slice(-2)}`;
}

/** What `maskNumber` made, sent back. */
export function isMasked(number: string): boolean {
  return number.includes(mark);
}

/** Telephone numbers by the names people are known by, however those are spaced and capitalised. */
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
