/**
 * What a configuration may hold, as far as it can be said without asking anybody: the form tells it
 * while people type, the sync service judges by it again. A fault is the rest of a sentence that
 * begins with the field; null: there is none.
 */

/** Of a list written with commas: none for an empty one; an empty name stays, to be told of. */
export function parseNames(text: string): string[] {
  return text.trim() === '' ? [] : text.split(',');
}

/** Of skip tables or skip object types as people write them: comma-separated, no spaces. */
export function findNameListError(text: string): string | null {
  if (/\s/.test(text)) return 'must have no spaces: names with a comma between them';
  // What the listing query leaves behind where there are no materialized views.
  if (text.endsWith(',')) return 'ends in a comma, which must not be entered';
  return findNameErrors(parseNames(text))[0]?.reason ?? null;
}

/** Of such a list's entries, each told by its place. */
export function findNameErrors(names: readonly string[]): { readonly at: number; readonly reason: string }[] {
  const seen = new Set<string>();
  return names.flatMap((name, at) => {
    const isTwice = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    const reason = faultOfName(name) ?? (isTwice ? `"${name}" is there twice` : null);
    return reason === null ? [] : [{ at, reason }];
  });
}

function faultOfName(name: string): string | null {
  if (name === '') return 'has a comma too many';
  return /^[A-Za-z_][A-Za-z0-9_$]*$/.test(name) ? null : `"${name}" is not a name`;
}

/**
 * Of a deployment's address. It may stop before the deployment's id, which is then the user name.
 */
export function findJourneyAddressError(address: string): string | null {
  if (address.trim() === '') return 'is missing';
  if (!/^https?:\/\/\S+$/i.test(address) || !URL.canParse(address)) return 'is not written https://host/api/v4/id';
  const { pathname, search, hash, username, password } = new URL(address);
  if (username !== '' || password !== '') return 'must carry no user name or password';
  if (search !== '' || hash !== '') return 'must end with the path';
  return /^\/?$|\/api\/v4(\/[^/]+)?\/?$/.test(pathname) ? null : 'must end in /api/v4/ and the id of the deployment';
}

/** The deployment's id at the end of its address; null where it is not written. */
export function parseDeploymentId(address: string): string | null {
  return /\/api\/v4\/([0-9a-f]{24})\/?$/i.exec(address.trim())?.[1] ?? null;
}

/**
 * Of the user name of Journey's API, which is the deployment's id too: a step in the path of its
 * address.
 */
export function findUserNameError(userName: string): string | null {
  if (userName.trim() === '') return 'is missing';
  // What ends it in HTTP Basic.
  if (userName.includes(':')) return 'must have no colon';
  return userName === '.' || userName === '..' ? 'is not one' : null;
}

/**
 * Of the password of Journey's API. `sent` is null where the stored one is to stay, `storedAddress`
 * where there is none. On another host it must be given again: else whoever may change the address
 * could have it sent to a host of their own.
 */
export function findPasswordError(of: {
  readonly sent: string | null;
  readonly address: string;
  readonly storedAddress: string | null;
}): string | null {
  const { sent, address, storedAddress } = of;
  if (sent !== null) return null;
  if (storedAddress === null) return 'is missing';
  if (!URL.canParse(address) || !URL.canParse(storedAddress)) return null;
  const isMoved = new URL(address).origin !== new URL(storedAddress).origin;
  return isMoved ? 'is needed again, because the address is on another host' : null;
}
