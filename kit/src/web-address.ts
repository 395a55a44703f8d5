import { z } from 'zod';
import { Secret } from './secret.ts';

/** A schema for addresses of other systems that people may see. They contain no credentials. */
export const webAddress = z
  .url({ protocol: /^https?$/ })
  .refine((address) => !hasCredentials(address), 'must not contain a user name or password');

/**
 * A schema for addresses that are secret, such as those of calendars. Their user name and password
 * are sent with HTTP Basic; see `toRequestTarget`.
 */
export const secretWebAddress = z
  .url({ protocol: /^https?$/ })
  .refine((address) => !readUserName(address).includes(':'), 'must not have a colon in its user name')
  .transform((address) => new Secret(address));

/**
 * A schema for addresses of calendars. `webcal://` is what calendar services hand out for apps to
 * subscribe to; the calendar is at the same address with `https://`.
 */
export const calendarAddress = z.preprocess(
  (address) => (typeof address === 'string' ? address.replace(/^webcals?:\/\//i, 'https://') : address),
  secretWebAddress,
);

export interface RequestTarget {
  /** Without credentials: `fetch` refuses an address that has them, and quotes it. */
  readonly url: string;
  readonly headers: { readonly authorization?: string };
}

/** Splits an address into what is requested, and the header with its credentials. */
export function toRequestTarget(address: string): RequestTarget {
  const url = new URL(address);
  if (!hasCredentials(address)) return { url: url.href, headers: {} };
  const credentials = `${readUserName(address)}:${decodeUserInfo(url.password)}`;
  url.username = '';
  url.password = '';
  return {
    url: url.href,
    headers: { authorization: `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}` },
  };
}

function hasCredentials(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
}

function readUserName(address: string): string {
  return URL.canParse(address) ? decodeUserInfo(new URL(address).username) : '';
}

/** Decodes the user name or the password of an address. A single percent sign stays as it is. */
export function decodeUserInfo(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
