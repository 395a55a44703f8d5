import { type RefObject, useEffect } from 'react';

/** Moves the focus to the first invalid field after each failed attempt to submit. */
export function useFaultFocus(form: RefObject<HTMLElement | null>, attempts: number): void {
  useEffect(() => {
    if (attempts > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form, attempts]);
}
