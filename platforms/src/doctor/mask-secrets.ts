import { isJsonObject } from '../helium/dialect/json-path.ts';

/** Stands for a value that is not shown. */
export const mask = '•••';

const names =
  'pass(?:word|wd|phrase|code)|pwd|secret|token|credential|authorization|cookie|(?:api|access|private)[-_]?key';
const secretField = new RegExp(`${names}|(?:^|[-_])pass$`, 'i');
/** `password=…`, `"token": "…"`. Nothing shows where in a text the value ends. */
const namedInText = new RegExp(`((?:${names})[\\w-]{0,40}["']?\\s{0,5}[=:]).*`, 'is');
const authorization = /\b(Basic|Bearer|Digest|Negotiate)\s.*/is;
const addressUser = /(:\/\/)\S{0,2000}@/g;
/** Far more than is shown, and little enough for the patterns. */
const maxTextLength = 4_000;
const maxDepth = 50;

/**
 * Masks what fields with the name of a secret hold, and the secrets in texts. Never looks for a
 * known password: what is masked would show where its characters occur, and encoded ones are
 * missed.
 */
export function maskDocument(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return maskText(value);
  if (depth === maxDepth) return mask;
  if (Array.isArray(value)) return value.map((entry) => maskDocument(entry, depth + 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      maskText(name),
      secretField.test(name) ? mask : maskDocument(part, depth + 1),
    ]),
  );
}

/**
 * Masks the secrets whose position shows them: everything after their name, everything after the
 * scheme of an `Authorization` header, and what is before the host of an address.
 */
export function maskText(text: string): string {
  return text
    .slice(0, maxTextLength)
    .replace(authorization, `$1 ${mask}`)
    .replace(namedInText, `$1 ${mask}`)
    .replace(addressUser, `$1${mask}@`);
}
