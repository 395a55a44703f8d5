import { storableText } from '@portal/kit/postgres/storable-text';

/** Whether every text in a JSON value can be stored and passed on as it is. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return storableText(value) === value;
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, part]) => isStorable(key) && isStorable(part));
}
