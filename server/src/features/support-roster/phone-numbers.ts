/**
 * Masks a number except for its last two digits: enough to recognize a known number, but not to
 * call it.
 */
function maskNumber(number: string): string {
  const digits = number.replace(/\D/g, '');
  return `••• ••${digits.length < 6 ? '••' : digits.slice(-2)}`;
}

interface Person {
  readonly name: string;
  readonly number: string;
  readonly email?: string | undefined;
}

/** Phone numbers by name, ignoring case and spacing, and how all numbers are shown. */
export class PeopleList {
  /** By address in lower case. */
  readonly namesByEmail: ReadonlyMap<string, string>;
  /** Whether numbers are shown masked, and revealed one by one. */
  readonly areMasked: boolean;
  readonly #numbers: ReadonlyMap<string, string>;

  constructor(people: readonly Person[], { areMasked = false }: { readonly areMasked?: boolean } = {}) {
    this.areMasked = areMasked;
    this.#numbers = new Map(people.map(({ name, number }) => [toKey(name), number]));
    this.namesByEmail = new Map(
      people.flatMap(({ name, email }) => (email === undefined ? [] : [[email.toLowerCase(), name]])),
    );
  }

  findNumber(name: string): string | undefined {
    return this.#numbers.get(toKey(name));
  }

  /** Returns a number as everyone who may view the roster sees it. */
  show(number: string | null): string | null {
    return number === null || !this.areMasked ? number : maskNumber(number);
  }
}

function toKey(name: string): string {
  return name.trim().replace(/\s+/g, ' ').toLowerCase();
}
