/**
 * What PostgreSQL can keep of a text: without the character NUL, and without halves of characters,
 * which its jsonb refuses. For words that others have said, and that are told rather than carried.
 */
export function storableText(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, '\uFFFD');
}

/** Whether every text in a JSON value can be stored and passed on as it is. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return storableText(value) === value;
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, part]) => isStorable(key) && isStorable(part));
}
