import { useViewportWidth } from '../../state/use-viewport-width.ts';

/** Whether the window is as narrow as a phone. The style sheets change at the same width. */
export function useIsNarrow(): boolean {
  return useViewportWidth() <= 600;
}
