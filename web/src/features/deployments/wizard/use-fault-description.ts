import { type RefObject, useEffect } from 'react';

/**
 * Describes the invalid fields by the message below the form. The components describe a field only
 * by what they draw beside it.
 */
export function useFaultDescription(
  form: RefObject<HTMLElement | null>,
  { faultId, fault }: { readonly faultId: string; readonly fault: string | null },
): void {
  useEffect(() => {
    if (fault === null) return;
    const fields = [...(form.current?.querySelectorAll('[aria-invalid="true"]') ?? [])];
    const former = fields.map((field) => field.getAttribute('aria-describedby'));
    for (const [at, field] of fields.entries())
      field.setAttribute('aria-describedby', [faultId, former[at]].filter(Boolean).join(' '));
    return () => {
      for (const [at, field] of fields.entries()) {
        const description = former[at];
        if (description) field.setAttribute('aria-describedby', description);
        else field.removeAttribute('aria-describedby');
      }
    };
  }, [form, faultId, fault]);
}
