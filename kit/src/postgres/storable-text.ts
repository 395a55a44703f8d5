/**
 * Returns the text without NUL characters and unpaired surrogates, which PostgreSQL cannot store in
 * jsonb. For external messages that are displayed but not synced.
 */
export function toStorableText(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, '\uFFFD');
}

/** Returns whether every text in a JSON value can be stored unchanged. */
export function isStorable(value: unknown): boolean {
  const rest = [value];
  while (rest.length > 0) {
    const part = rest.pop();
    if (typeof part === 'string' && notStorable.test(part)) return false;
    if (typeof part !== 'object' || part === null) continue;
    for (const [key, inner] of Object.entries(part)) {
      if (notStorable.test(key)) return false;
      rest.push(inner);
    }
  }
  return true;
}

const notStorable = /\0|\p{Surrogate}/u;
