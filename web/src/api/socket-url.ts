/** Returns the address of a socket of this portal, with TLS where the page has it. */
export function toSocketUrl(path: string, origin = window.location.origin): URL {
  return new URL(path, origin.replace(/^http/, 'ws'));
}
