import { useState } from 'react';
import { useSession } from '../../../session/use-session.ts';
import type { Draft, DraftFields } from './draft.ts';
import { deleteDraft, getDraftsKey, readDrafts, saveDraft } from './saved-drafts.ts';

/**
 * What is filled in for a purpose: as it was kept, or as it begins. Each change is kept at once, so
 * that a reload loses none.
 */
export function useDraft(purpose: string, initialDraft: Draft) {
  const { session } = useSession();
  const key = getDraftsKey(session);
  const [draft, setDraft] = useState(() => readDrafts(key)[purpose] ?? initialDraft);
  /** When what one goes on with was left; null when one began anew. */
  const [restoredAt, setRestoredAt] = useState(draft.changedAt);
  const update = (next: Draft) => {
    setDraft(next);
    if (next.changedAt !== null) saveDraft(key, purpose, next);
  };
  return {
    draft,
    restoredAt,
    change: (fields: Partial<DraftFields>) =>
      update({ ...draft, fields: { ...draft.fields, ...fields }, changedAt: Date.now() }),
    goTo: (step: Draft['step']) => update({ ...draft, step }),
    /** Goes on with other fields, expecting that revision. */
    replace: (fields: DraftFields, expected: number) => update({ ...draft, fields, expected, changedAt: Date.now() }),
    discard: () => {
      deleteDraft(key, purpose);
      setDraft(initialDraft);
      setRestoredAt(null);
    },
  };
}

export type DraftState = ReturnType<typeof useDraft>;
