/**
 * The guide's rules for names that cannot be synced. Each function returns the reason as a
 * sentence, or null.
 */

/** Checks an attribute's name in the spelling of either side. */
export function findFieldNameClash(name: string): string | null {
  const lower = name.toLowerCase();
  if (lower === 'date') return 'The attribute name date is reserved; use creation_date.';
  if (lower.endsWith('_id'))
    return 'An attribute name must not end in _id, because Journey interprets it as a relation.';
  return null;
}

/** Checks the name of a Journey object as the data model spells it. */
export function findModelNameClash(name: string): string | null {
  const isAllCaps = /[A-Z]/.test(name) && name === name.toUpperCase();
  return isAllCaps ? 'The name of a Journey object must not be in all capitals.' : null;
}
