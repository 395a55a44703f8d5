import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';

export interface ExplainedButtonProps extends Omit<ButtonProps, 'disabled'> {
  readonly children: ReactNode;
  readonly onClick: () => void;
  /** Why the button is disabled; null when it is enabled. */
  readonly reason: string | null;
  /** What the button does, if the label is not enough. */
  readonly hint?: string | null;
  readonly 'aria-label'?: string;
}

/**
 * A button that explains why it is disabled. It stays focusable, does nothing, and shows the reason
 * on hover, on focus and to screen readers. While loading it does nothing, and keeps the focus.
 */
export function ExplainedButton({ reason, hint = null, onClick, children, ...rest }: ExplainedButtonProps) {
  const explanation = reason ?? hint;
  const isUnavailable = reason !== null || rest.loading === true;
  return (
    <Button
      {...rest}
      {...(reason !== null && { 'data-disabled': true })}
      data-hint={explanation ?? undefined}
      aria-description={explanation ?? undefined}
      aria-disabled={isUnavailable || undefined}
      // A natively disabled button would lose the focus.
      renderRoot={(root) => <button {...root} disabled={false} />}
      onClick={() => !isUnavailable && onClick()}
    >
      {children}
    </Button>
  );
}
