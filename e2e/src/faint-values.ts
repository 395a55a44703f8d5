import type { Page } from 'playwright-core';

/** WCAG 1.4.3, here also for what cannot be changed: its value is read all the same. */
const minContrast = 4.5;

/**
 * Returns the values of fields, and the labels of switches and checkboxes, that have too little
 * contrast with their background, with their contrast. Unlike axe, it does not skip those that
 * cannot be changed.
 */
export function readFaintValues(page: Page): Promise<string[]> {
  return page.evaluate((min) => {
    const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
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
      const [color] = read(getComputedStyle(element).color);
      const shown = color.map((part, at) => part * opacity + (background[at] ?? 0) * (1 - opacity));
      const contrast = getContrast(shown, background);
      return contrast < min ? [`${name} ${contrast.toFixed(2)} : 1`] : [];
    });

    function read(color: string): [rgb: number[], alpha: number] {
      if (!pixel) return [[], 0];
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = color;
      pixel.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = pixel.getImageData(0, 0, 1, 1).data;
      return [[red, green, blue], alpha / 255];
    }

    function readBackground(start: Element): number[] {
      for (let at: Element | null = start; at; at = at.parentElement) {
        const [color, alpha] = read(getComputedStyle(at).backgroundColor);
        if (alpha === 1) return color;
      }
      return [255, 255, 255];
    }

    function readOpacity(start: Element): number {
      let opacity = 1;
      for (let at: Element | null = start; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
      return opacity;
    }

    function getContrast(first: number[], second: number[]): number {
      const [dark = 0, light = 0] = [getLuminance(first), getLuminance(second)].toSorted((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    }

    function getLuminance(rgb: number[]): number {
      const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
        const value = part / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    }
  }, minContrast);
}
