import { useEffect } from 'react';
import { showProblem } from './popups.ts';

/**
 * Says under its specified title that something could not be loaded. Only where nothing is there
 * yet: a refresh that fails keeps what was loaded, and the place where it stands says so.
 */
export function useProblemPopup(title: string, load: { readonly error: unknown; readonly data: unknown }): void {
  const problem = load.data === undefined ? load.error : null;
  useEffect(() => {
    if (problem) showProblem(title, problem);
  }, [title, problem]);
}
