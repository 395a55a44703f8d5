/** Text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Asks the sync service for an integration, as the user with the password in $PASSWORD, and prints
 * one field of it.
 */
export function versionCommand(options: {
  readonly origin: string;
  readonly base: string;
  readonly appId: string;
  readonly heliumBaseUrl: string;
  readonly username: string;
  readonly field: 'changeLogVersion' | 'oplogVersion';
}): string {
  const url = `${options.origin}${options.base}get/${encodeURIComponent(options.appId)}?baseUrl=${encodeURIComponent(options.heliumBaseUrl)}`;
  return `curl -fsS -u ${shellQuote(options.username)}:"$PASSWORD" ${shellQuote(url)} | jq -r .integration.${options.field}`;
}
