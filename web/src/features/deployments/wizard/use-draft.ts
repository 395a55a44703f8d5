import { useState } from 'react';
import { useSession } from '../../../session/use-session.ts';
import type { Draft, DraftFields } from './draft.ts';
import { draftsKeyOf, dropDraft, keepDraft, readDrafts } from './saved-drafts.ts';

/**
 * What is filled in for a purpose: as it was kept, or as it begins. Each change is kept at once, so
 * that a reload loses none.
 */
export function useDraft(purpose: string, begin: Draft) {
  const { session } = useSession();
  const key = draftsKeyOf(session);
  const [draft, setDraft] = useState(() => readDrafts(key)[purpose] ?? begin);
  /** When what one goes on with was left; null when one began anew. */
  const [keptFrom, setKeptFrom] = useState(draft.changedAt);
  const put = (next: Draft) => {
    setDraft(next);
    if (next.changedAt !== null) keepDraft(key, purpose, next);
  };
  return {
    draft,
    keptFrom,
    change: (fields: Partial<DraftFields>) =>
      put({ ...draft, fields: { ...draft.fields, ...fields }, changedAt: Date.now() }),
    goTo: (step: Draft['step']) => put({ ...draft, step }),
    /** Goes on with other fields, expecting that revision. */
    replace: (fields: DraftFields, expected: number) => put({ ...draft, fields, expected, changedAt: Date.now() }),
    discard: () => {
      dropDraft(key, purpose);
      setDraft(begin);
      setKeptFrom(null);
    },
  };
}

export type DraftDesk = ReturnType<typeof useDraft>;
