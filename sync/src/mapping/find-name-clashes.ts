/**
 * The guide's rules for names that cannot be synced. Each function returns the reason in words, or
 * null.
 */

/** Checks an attribute's name in either side's spelling. */
export function findFieldNameClash(name: string): string | null {
  const lower = name.toLowerCase();
  if (lower === 'date') return 'The attribute name date is reserved; use creation_date.';
  if (lower.endsWith('_id')) return 'An attribute name must not end in _id: Journey takes it for a relation.';
  return null;
}

/** Checks the name of a Journey object as its data model writes it. */
export function findModelNameClash(name: string): string | null {
  const isAllCaps = /[A-Z]/.test(name) && name === name.toUpperCase();
  return isAllCaps ? 'The name of a Journey object must not be all in capitals.' : null;
}
