/**
 * Removes secrets from addresses in texts that may quote them, such as the messages of unknown
 * errors. A password may contain any character except blanks, so everything before the last `@` of
 * a word counts as one.
 */

const mask = '•••';

/** Limits the work for each address in a text. */
const maxLength = 4_096;

/** Stack traces name files, whose folders may begin with `@`. */
const start = String.raw`(?<!\bfile)://`;
const credentials = new RegExp(String.raw`${start}\S{0,${maxLength}}@`, 'g');
/** A text of JSON ends at a quotation mark; escapes of blanks end a word. */
const credentialsInJson = new RegExp(String.raw`${start}(?:[^\s"\\]|\\[^nrt]){0,${maxLength}}@`, 'g');
const behindHost = /(:\/\/[^\s"'\\/?#]+)[/?#]\S+/g;

/** Replaces the user name and password of each address in a text. */
export function hideCredentials(text: string): string {
  return hide(text, credentials);
}

/** Like `hideCredentials`, for a line of JSON, which stays valid. */
export function hideCredentialsInJson(line: string): string {
  return hide(line, credentialsInJson);
}

/**
 * Reduces each address in a text to its protocol and host. Addresses of calendars have their secret
 * in the path or the query.
 */
export function hideAddresses(text: string): string {
  return hideCredentials(text).replace(behindHost, `$1/${mask}`);
}

function hide(text: string, pattern: RegExp): string {
  return text.includes('://') ? text.replace(pattern, `://${mask}@`) : text;
}
