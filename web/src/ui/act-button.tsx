import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import '@mantine/core/styles/Tooltip.layer.css';
import type { ReactNode } from 'react';

export interface ActButtonProps extends ButtonProps {
  readonly children: ReactNode;
  readonly onClick: () => void;
  /** Why it may not be pressed now, in words; null when it may. */
  readonly reason: string | null;
  /** What pressing it does, where the label does not say it all. */
  readonly hint?: string | null;
  readonly 'aria-label'?: string;
}

/**
 * A button that says why it may not be pressed: it stays within reach of pointer and keyboard, does
 * nothing, and tells the reason on hover, on focus and to screen readers.
 */
export function ActButton({ reason, hint = null, onClick, children, ...rest }: ActButtonProps) {
  const told = reason ?? hint;
  return (
    <Tooltip
      label={told}
      disabled={told === null}
      events={{ hover: true, focus: true, touch: true }}
      multiline
      maw={320}
    >
      <Button
        {...rest}
        {...(reason !== null && { 'aria-disabled': true, 'data-disabled': true })}
        aria-description={told ?? undefined}
        onClick={() => reason === null && onClick()}
      >
        {children}
      </Button>
    </Tooltip>
  );
}
