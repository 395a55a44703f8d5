import type { Command } from './commands.ts';

/**
 * Finds the buttons of the current page, which act with their usual confirmations. The choices of a
 * filter are in a fieldset and are no actions.
 */
export function findPageActions(): Command[] {
  const buttons = document.querySelectorAll<HTMLButtonElement>(
    'main [data-page-actions] button:enabled:not([aria-disabled="true"], fieldset *)',
  );
  return [...buttons].flatMap((button) => {
    const label = (button.getAttribute('aria-label') ?? button.innerText).trim();
    if (label === '') return [];
    return [{ id: `page/${label}`, label, detail: 'On this page', kind: 'action', run: () => button.click() }];
  });
}
