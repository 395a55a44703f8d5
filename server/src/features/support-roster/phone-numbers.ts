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

interface Person {
  readonly name: string;
  readonly number: string;
  readonly email?: string | undefined;
}

/** Phone numbers by name, ignoring case and spacing. */
export class PeopleList {
  /** By address in lower case. */
  readonly namesByEmail: ReadonlyMap<string, string>;
  readonly #numbers: ReadonlyMap<string, string>;

  constructor(people: readonly Person[]) {
    this.#numbers = new Map(people.map(({ name, number }) => [toKey(name), number]));
    this.namesByEmail = new Map(
      people.flatMap(({ name, email }) => (email === undefined ? [] : [[email.toLowerCase(), name]])),
    );
  }

  findNumber(name: string): string | undefined {
    return this.#numbers.get(toKey(name));
  }
}

function toKey(name: string): string {
  return name.trim().replace(/\s+/g, ' ').toLowerCase();
}
