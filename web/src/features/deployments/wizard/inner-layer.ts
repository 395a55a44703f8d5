import { createContext, use, useEffect } from 'react';

/** Receives whether a layer inside the wizard is open, which Escape closes first. */
export const InnerLayer = createContext<(isOpen: boolean) => void>(() => {});

/** Lets Escape, anywhere in the wizard, close an inner layer instead of the wizard. */
export function useInnerLayer(isOpen: boolean, onEscape: () => void): void {
  const report = use(InnerLayer);
  useEffect(() => {
    if (!isOpen) return;
    report(true);
    return () => report(false);
  }, [isOpen, report]);
  useEffect(() => {
    if (!isOpen) return;
    const handle = (event: KeyboardEvent) => event.key === 'Escape' && !event.isComposing && onEscape();
    window.addEventListener('keydown', handle);
    return () => window.removeEventListener('keydown', handle);
  }, [isOpen, onEscape]);
}
