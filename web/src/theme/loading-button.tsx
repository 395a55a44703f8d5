import type { ComponentProps, MouseEvent } from 'react';

type RootProps = ComponentProps<'button'> & { readonly 'data-loading'?: boolean };

/**
 * Draws a button that does nothing while it is loading and keeps the focus, which a natively
 * disabled one would lose.
 */
export function renderLoadingButton(root: RootProps) {
  if (!root['data-loading']) return <button {...root} />;
  // A form must not be submitted again either: Enter in one of its fields clicks the button.
  return <button {...root} disabled={false} aria-disabled onClick={(event: MouseEvent) => event.preventDefault()} />;
}
