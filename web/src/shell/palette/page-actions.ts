import type { Command } from './commands.ts';

/** Finds the buttons in the head of the current page, which act with their usual confirmations. */
export function findPageActions(): Command[] {
  const buttons = document.querySelectorAll<HTMLButtonElement>(
    'main [data-page-actions] button:enabled:not([aria-disabled="true"])',
  );
  return [...buttons].flatMap((button) => {
    const label = (button.getAttribute('aria-label') ?? button.innerText).trim();
    if (label === '') return [];
    return [{ id: `page/${label}`, label, detail: 'On this page', kind: 'action', run: () => button.click() }];
  });
}
