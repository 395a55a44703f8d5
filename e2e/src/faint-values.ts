import type { Page } from 'playwright-core';
import { openDrawnColors } from './drawn-colors.ts';

/** WCAG 1.4.3, here also for values that cannot be changed, because users still read them. */
const minContrast = 4.5;

/**
 * Returns the values of fields, and the labels of switches and checkboxes, that have too little
 * contrast with their background, with their contrast. Unlike axe, it does not skip those that
 * cannot be changed.
 */
export async function readFaintValues(page: Page): Promise<string[]> {
  const drawn = await openDrawnColors(page);
  return page.evaluate(
    ({ drawn: { read, readBackground, getContrast }, min }) => {
      const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
        ':is(input:not([type="checkbox"], [type="radio"], [type="hidden"]), textarea)',
      );
      const filled = [...fields]
        .filter(({ value }) => value !== '')
        .map((field) => ({ name: field.value, element: field }));
      const labels = [...document.querySelectorAll<HTMLElement>(':is([type="checkbox"], [type="radio"])')].flatMap(
        ({ id }) => {
          const label = id === '' ? null : document.querySelector<HTMLElement>(`label[for="${CSS.escape(id)}"]`);
          return label && label.innerText !== '' ? [{ name: label.innerText, element: label }] : [];
        },
      );
      return [...filled, ...labels].flatMap(({ name, element }) => {
        if (!element.checkVisibility()) return [];
        const background = readBackground(element);
        const opacity = readOpacity(element);
        const { rgb } = read(getComputedStyle(element).color);
        const shown = rgb.map((part, at) => part * opacity + (background[at] ?? 0) * (1 - opacity));
        const contrast = getContrast(shown, background);
        return contrast < min ? [`${name} ${contrast.toFixed(2)} : 1`] : [];
      });

      function readOpacity(start: Element): number {
        let opacity = 1;
        for (let at: Element | null = start; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
        return opacity;
      }
    },
    { drawn, min: minContrast },
  );
}
