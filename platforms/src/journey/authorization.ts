import { Invalid } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';

export type JourneyCredentials = { readonly userName: string; readonly password: Secret } | { readonly token: Secret };

/**
 * The header's whole value. Throws Invalid for what no header can carry; the words name neither
 * password nor token.
 */
export function authorizationOf(credentials: JourneyCredentials): string {
  if ('token' in credentials) {
    const token = credentials.token.reveal();
    // Checked here because `fetch` quotes a header it does not like.
    if (!/^[\x21-\x7e]+$/.test(token)) throw new Invalid('A Journey token has neither spaces nor special characters.');
    return `Bearer O:${token}`;
  }
  const { userName, password } = credentials;
  if (userName === '' || userName.includes(':'))
    throw new Invalid('A Journey user name is not empty and has no colon.');
  return `Basic ${Buffer.from(`${userName}:${password.reveal()}`, 'utf8').toString('base64')}`;
}
