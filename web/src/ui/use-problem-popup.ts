import { useEffect } from 'react';
import { showProblem } from './popups.ts';

/**
 * Shows a popup with the specified title when the first load fails. A failed refresh is reported
 * next to the data instead.
 */
export function useProblemPopup(title: string, load: { readonly error: unknown; readonly data: unknown }): void {
  const problem = load.data === undefined ? load.error : null;
  useEffect(() => {
    if (problem) showProblem(title, problem);
  }, [title, problem]);
}
