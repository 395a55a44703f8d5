import { useState } from 'react';
import { createKept, useKeptState } from '../../../session/use-kept-state.ts';
import { useSession } from '../../../session/use-session.ts';
import type { Draft, DraftFields } from './draft.ts';
import { deleteDraft, getDraftsKey, readDrafts, saveDraft } from './saved-drafts.ts';

const keptDraft = createKept<Draft>();

/**
 * Holds the draft of a purpose, either the saved one or a new one. Every change is saved
 * immediately, so that a reload loses nothing.
 */
export function useDraft(purpose: string, initialDraft: Draft) {
  const { session } = useSession();
  const key = getDraftsKey(session);
  // A draft without changes is not saved, but the step outlives the end of the session.
  const [draft, setDraft] = useKeptState(keptDraft, purpose, () => readDrafts(key)[purpose] ?? initialDraft);
  /** The time of the restored draft's last change; null for a new draft. */
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
    /** Continues with other fields and expects that revision. */
    replace: (fields: DraftFields, expected: number) => update({ ...draft, fields, expected, changedAt: Date.now() }),
    discard: () => {
      deleteDraft(key, purpose);
      setDraft(initialDraft);
      setRestoredAt(null);
    },
  };
}

export type DraftState = ReturnType<typeof useDraft>;
