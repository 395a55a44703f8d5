import { createHash } from 'node:crypto';

/** Hashes a list of texts, so that two lists have the same hash only if they are equal. */
export function hashParts(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
