/** Text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Asks the sync service for an integration, as the user with the password in $PASSWORD, and prints
 * one field of it.
 */
export function versionCommand(of: {
  readonly origin: string;
  readonly base: string;
  readonly appId: string;
  readonly heliumBaseUrl: string;
  readonly username: string;
  readonly field: 'changeLogVersion' | 'oplogVersion';
}): string {
  const url = `${of.origin}${of.base}get/${encodeURIComponent(of.appId)}?baseUrl=${encodeURIComponent(of.heliumBaseUrl)}`;
  return `curl -fsS -u ${shellQuote(of.username)}:"$PASSWORD" ${shellQuote(url)} | jq -r .integration.${of.field}`;
}
