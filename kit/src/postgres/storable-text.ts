/**
 * What PostgreSQL can keep of a text: without the character NUL, and without halves of characters, which its jsonb refuses.
 * For words that others have said, and that are told rather than carried.
 */
export function storableText(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, '\uFFFD');
}
