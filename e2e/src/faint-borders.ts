import type { Page } from 'playwright-core';
import { openDrawnColors } from './drawn-colors.ts';

/** WCAG 1.4.11: what identifies a control has this contrast with its surroundings. */
const minContrast = 3;

/**
 * Returns the enabled controls whose border has too little contrast with what is around them, with
 * their contrast. A control without a border or with a background of its own is identified
 * otherwise.
 */
export async function readFaintBorders(page: Page): Promise<string[]> {
  const drawn = await openDrawnColors(page);
  return page.evaluate(
    ({ drawn: { read, readBackground, getContrast }, min }) => {
      const controls = document.querySelectorAll<HTMLElement>(
        ':is(button, input, select, textarea, label:has(> input[type="radio"])):not(:disabled, [aria-disabled="true"])',
      );
      return [...controls].flatMap((control) => {
        const style = getComputedStyle(control);
        const isDrawn = control.checkVisibility() && style.opacity !== '0';
        if (!isDrawn || style.borderTopStyle === 'none' || style.borderTopWidth === '0px') return [];
        const { rgb, alpha } = read(style.borderTopColor);
        if (alpha < 1) return [];
        const around = readBackground(control.parentElement);
        const contrast = getContrast(rgb, around);
        if (contrast >= min || getContrast(readBackground(control), around) >= min) return [];
        return [`${control.getAttribute('aria-label') ?? control.innerText} ${contrast.toFixed(2)} : 1`];
      });
    },
    { drawn, min: minContrast },
  );
}
