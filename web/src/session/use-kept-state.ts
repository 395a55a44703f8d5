import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';
import { getUserKey, sessionState } from './session-store.ts';
import { useSession } from './use-session.ts';

/**
 * What a person entered in a form, in the memory of this page only. One form of a kind is open at a
 * time.
 */
export interface Kept<T> {
  current: { readonly key: string; readonly value: T } | null;
}

export function createKept<T>(): Kept<T> {
  return { current: null };
}

/**
 * Like `useState`, but the state outlives the end of the session: the same user finds it again
 * after the next sign-in. Closing the form, and signing out, delete it.
 *
 * @param form identifies the form among those of its kind, such as an app
 */
export function useKeptState<T>(kept: Kept<T>, form: string, getInitial: () => T): [T, Dispatch<SetStateAction<T>>] {
  const key = `${getUserKey(useSession().session)} ${form}`;
  const [value, setValue] = useState(() => (kept.current?.key === key ? kept.current.value : getInitial()));
  useEffect(() => {
    kept.current = { key, value };
  }, [kept, key, value]);
  useEffect(
    () => () => {
      if (!hasSessionEnded()) kept.current = null;
    },
    [kept],
  );
  return [value, setValue];
}

/** Whether the session ended without the user's choice. */
function hasSessionEnded(): boolean {
  const state = sessionState.get();
  return state.phase === 'signed-out' && state.notice !== null;
}
