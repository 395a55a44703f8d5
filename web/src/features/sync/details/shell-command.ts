/** Quotes text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Returns a shell command that reads an integration from the sync service, with the user's password
 * from $PASSWORD, and prints one of its fields.
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
  return `curl -fsS -u ${shellQuote(options.username)}:"$PASSWORD" ${shellQuote(url)} | jq -r .${options.field}`;
}
