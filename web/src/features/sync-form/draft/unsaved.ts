import { type Draft, paths } from './draft.ts';

interface Unsaved {
  readonly form: string;
  /** The draft the form was filled from. */
  readonly base: Draft;
  readonly draft: Draft;
}

/**
 * The unsaved draft of the open form, in the memory of this page only. A user whose session ends
 * continues where they left off after signing in again.
 */
let unsaved: Unsaved | null = null;

/** Stores a draft without its password. @param form identifies the form's user and app */
export function storeUnsaved(form: string, base: Draft, draft: Draft): void {
  unsaved = { form, base, draft: { ...draft, [paths.password]: base[paths.password] ?? '' } };
}

/** Returns the unsaved draft of this form; null when there is none. */
export function getUnsaved(form: string): Unsaved | null {
  return unsaved?.form === form ? unsaved : null;
}

export function clearUnsaved(): void {
  unsaved = null;
}
