import { type Draft, paths } from './draft.ts';

interface Unsaved {
  readonly form: string;
  /** What it was filled from. */
  readonly base: Draft;
  readonly draft: Draft;
}

/**
 * Of the form that is open, in this page's memory only: sessions end, and who signs in again goes
 * on where they were.
 */
let unsaved: Unsaved | null = null;

/** Passwords are to be typed again. @param form whose it is, and of which app */
export function storeUnsaved(form: string, base: Draft, draft: Draft): void {
  unsaved = { form, base, draft: { ...draft, [paths.password]: base[paths.password] ?? '' } };
}

/** null when nothing is kept of this form. */
export function getUnsaved(form: string): Unsaved | null {
  return unsaved?.form === form ? unsaved : null;
}

export function clearUnsaved(): void {
  unsaved = null;
}
