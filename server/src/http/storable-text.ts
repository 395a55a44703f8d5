// NUL, and halves of surrogate pairs: valid in JSON, but in no database and no UTF-8.
const unstorable = /\0|\p{Surrogate}/u;

/** Whether every text in a JSON value can be stored and passed on as it is. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !unstorable.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, part]) => isStorable(key) && isStorable(part));
}
