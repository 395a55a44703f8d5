/** The search parameters of a route as plain strings. */
export type Address = Readonly<Record<string, string>>;

/**
 * Parses search parameters as plain strings: `?page=2` stays the string "2", and nothing is quoted.
 */
export function parseAddress(search: string): Address {
  return Object.fromEntries(new URLSearchParams(search));
}

export function formatAddress(address: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(address)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
