import { useEffect, useLayoutEffect, useRef } from 'react';
import { dismissPopup, showProblem } from './popups.ts';

/**
 * Shows a popup with the specified title when the first load fails, until a retry succeeds. A
 * failed refresh is reported next to the data instead.
 */
export function useProblemPopup(title: string, load: { readonly error: unknown; readonly data: unknown }): void {
  const problem = load.data === undefined ? load.error : null;
  const isLoaded = load.data !== undefined;
  const shown = useRef<number[]>([]);
  // Before the note about the same problem is announced.
  useLayoutEffect(() => {
    const id = problem ? showProblem(title, problem) : null;
    if (id !== null) shown.current.push(id);
  }, [title, problem]);
  useEffect(() => {
    if (!isLoaded) return;
    for (const id of shown.current.splice(0)) dismissPopup(id);
  }, [isLoaded]);
}
