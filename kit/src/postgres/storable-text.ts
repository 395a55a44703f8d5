/**
 * Returns the text without NUL characters and unpaired surrogates, which PostgreSQL cannot store in
 * jsonb. For external messages that are displayed but not synced.
 */
export function toStorableText(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, '\uFFFD');
}

/** Returns whether every text in a JSON value can be stored unchanged. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return toStorableText(value) === value;
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, part]) => isStorable(key) && isStorable(part));
}
