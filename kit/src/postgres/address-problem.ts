import { explainPoolerRefusal } from './pooler-refusal.ts';
import { explainTlsFailure } from './tls-failure.ts';

/**
 * Returns why a database cannot be used under its address, and what to change, as the rest of a
 * sentence that begins with its name. Returns undefined for any other error.
 */
export function explainUnusableAddress(error: unknown): string | undefined {
  return explainTlsFailure(error) ?? explainPoolerRefusal(error);
}
