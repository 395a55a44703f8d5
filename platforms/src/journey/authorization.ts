import { Invalid } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';

export type JourneyCredentials = { readonly userName: string; readonly password: Secret } | { readonly token: Secret };

/**
 * Returns the header's value. Throws Invalid for values that no header can hold; the message
 * contains neither password nor token.
 */
export function toAuthorization(credentials: JourneyCredentials): string {
  if ('token' in credentials) {
    const token = credentials.token.reveal();
    // Checked here because `fetch` quotes an invalid header in its error.
    if (!/^[\x21-\x7e]+$/.test(token))
      throw new Invalid('A Journey token must not contain spaces or special characters.');
    return `Bearer O:${token}`;
  }
  const { userName, password } = credentials;
  if (userName === '' || userName.includes(':'))
    throw new Invalid('A Journey user name must not be empty or contain a colon.');
  return `Basic ${Buffer.from(`${userName}:${password.reveal()}`, 'utf8').toString('base64')}`;
}

/** Returns the texts that show the credentials of this value of the header. */
export function listSecrets(authorization: string): string[] {
  const [scheme, value = ''] = authorization.split(' ');
  if (scheme === 'Bearer') return [value.replace(/^O:/, '')];
  const [, password = ''] = Buffer.from(value, 'base64').toString('utf8').split(/:(.*)/s);
  return password === '' ? [value] : [value, password];
}
