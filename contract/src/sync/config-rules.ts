/**
 * The rules for a sync configuration that need no I/O. The form applies them while the user types;
 * the sync service applies them again. An error is a predicate that follows the field's name, or
 * null.
 */

/** Maximum number of skip tables, and of skip object types. */
export const maxSkippedNames = 1_000;
export const tooManyNamesError = `must have at most ${maxSkippedNames} names`;

/**
 * Returns the names of a comma-separated list; none for empty text. Empty names are preserved, so
 * that they can be reported.
 */
export function parseNames(text: string): string[] {
  return text.trim() === '' ? [] : text.split(',');
}

/** Returns the first error of skip tables or skip object types in text form, or null. */
export function findNameListError(text: string): string | null {
  if (/\s/.test(text)) return 'must not contain spaces: separate the names with commas only';
  // The listing query leaves a trailing comma if there are no materialized views.
  if (text.endsWith(',')) return 'must not end with a comma';
  const names = parseNames(text);
  return names.length > maxSkippedNames ? tooManyNamesError : (findNameErrors(names)[0]?.reason ?? null);
}

/** Returns the errors of a list of names, each with its index. */
export function findNameErrors(names: readonly string[]): { readonly at: number; readonly reason: string }[] {
  const seen = new Set<string>();
  return names.flatMap((name, at) => {
    const isDuplicate = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    const reason = findNameError(name) ?? (isDuplicate ? `"${name}" is listed twice` : null);
    return reason === null ? [] : [{ at, reason }];
  });
}

/** Many long names are reported at once, so that each is cut. */
const maxQuotedChars = 50;

function findNameError(name: string): string | null {
  if (name === '') return 'has an extra comma';
  if (/^[A-Za-z_][A-Za-z0-9_$]*$/.test(name)) return null;
  const quoted = name.length > maxQuotedChars ? `${name.slice(0, maxQuotedChars)}…` : name;
  return `"${quoted}" is not a valid name`;
}

/**
 * Returns the error of a deployment's address, or null. The address may omit the deployment's id;
 * the user name then serves as the id.
 */
export function findJourneyAddressError(address: string): string | null {
  if (address.trim() === '') return 'is missing';
  if (!/^https?:\/\/\S+$/i.test(address) || !URL.canParse(address)) return 'must have the form https://host/api/v4/id';
  const { pathname, search, hash, username, password } = new URL(address);
  if (username !== '' || password !== '') return 'must not contain a user name or password';
  if (search !== '' || hash !== '') return 'must not contain a query or fragment';
  return /^\/?$|\/api\/v4(\/[^/]+)?\/?$/.test(pathname) ? null : 'must end in /api/v4/ followed by the deployment id';
}

/** Returns the deployment's id at the end of its address; null if there is none. */
export function parseDeploymentId(address: string): string | null {
  return /\/api\/v4\/([0-9a-f]{24})\/?$/i.exec(address.trim())?.[1] ?? null;
}

/**
 * Returns the error of a Journey API user name, or null. The user name is also the deployment's id,
 * and therefore a segment of its address path.
 */
export function findUserNameError(userName: string): string | null {
  if (userName.trim() === '') return 'is missing';
  // HTTP Basic separates user name and password by a colon.
  if (userName.includes(':')) return 'must not contain a colon';
  return userName === '.' || userName === '..' ? 'is not a valid user name' : null;
}

/**
 * Returns the error of a Journey API password, or null. `sent` is null if the stored password is to
 * stay; `storedAddress` is null if none is stored. A new host requires the password again:
 * otherwise anyone who may change the address could send the password to their own host.
 */
export function findPasswordError({
  sent,
  address,
  storedAddress,
}: {
  readonly sent: string | null;
  readonly address: string;
  readonly storedAddress: string | null;
}): string | null {
  if (sent !== null) return null;
  if (storedAddress === null) return 'is missing';
  if (!URL.canParse(address) || !URL.canParse(storedAddress)) return null;
  const hasOtherHost = new URL(address).origin !== new URL(storedAddress).origin;
  return hasOtherHost ? 'is required again because the address is on another host' : null;
}
