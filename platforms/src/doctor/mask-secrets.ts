import type { HeliumCredentials } from '../helium/call.ts';

const mask = '•••';
const secretField =
  /("[^"]*(?:password|passwd|secret|token|credential|authorization|api_?key)[^"]*"\s*:\s*)("(?:[^"\\]|\\.)*"?|[^,}\]\s]+)/gi;
const addressPassword = /(\w+:\/\/[^\s:/@]*:)[^\s/@]+@/g;

/** Masks the password of the caller, and the values of fields and addresses that hold secrets. */
export function maskSecrets(text: string, { userName, password }: HeliumCredentials): string {
  const basic = Buffer.from(`${userName}:${password}`).toString('base64');
  return [password, basic]
    .filter((secret) => secret !== '')
    .reduce((masked, secret) => masked.replaceAll(secret, mask), text)
    .replace(secretField, `$1"${mask}"`)
    .replace(addressPassword, `$1${mask}@`);
}
