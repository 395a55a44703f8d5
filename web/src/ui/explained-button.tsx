import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import '@mantine/core/styles/Tooltip.layer.css';
import type { ReactNode } from 'react';

export interface ExplainedButtonProps extends ButtonProps {
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
 * on hover, on focus and to screen readers.
 */
export function ExplainedButton({ reason, hint = null, onClick, children, ...rest }: ExplainedButtonProps) {
  const explanation = reason ?? hint;
  return (
    <Tooltip
      label={explanation}
      disabled={explanation === null}
      events={{ hover: true, focus: true, touch: true }}
      multiline
      maw={320}
    >
      <Button
        {...rest}
        {...(reason !== null && { 'aria-disabled': true, 'data-disabled': true })}
        aria-description={explanation ?? undefined}
        onClick={() => reason === null && onClick()}
      >
        {children}
      </Button>
    </Tooltip>
  );
}
