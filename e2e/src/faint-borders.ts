import type { Page } from 'playwright-core';

/** WCAG 1.4.11: what identifies a control has this contrast with its surroundings. */
const minContrast = 3;

/**
 * Returns the enabled controls whose border has too little contrast with what is around them, with
 * their contrast. A control without a border or with a background of its own is identified
 * otherwise.
 */
export function readFaintBorders(page: Page): Promise<string[]> {
  return page.evaluate((min) => {
    const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const controls = document.querySelectorAll<HTMLElement>(
      ':is(button, input, select, textarea, label:has(> input[type="radio"])):not(:disabled, [aria-disabled="true"])',
    );
    return [...controls].flatMap((control) => {
      const style = getComputedStyle(control);
      const isDrawn = control.checkVisibility() && style.opacity !== '0';
      if (!isDrawn || style.borderTopStyle === 'none' || style.borderTopWidth === '0px') return [];
      const [color, alpha] = read(style.borderTopColor);
      if (alpha < 1) return [];
      const around = readBackground(control.parentElement);
      const contrast = getContrast(color, around);
      if (contrast >= min || getContrast(readBackground(control), around) >= min) return [];
      return [`${control.getAttribute('aria-label') ?? control.innerText} ${contrast.toFixed(2)} : 1`];
    });

    function read(color: string): [rgb: number[], alpha: number] {
      if (!pixel) return [[], 0];
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = color;
      pixel.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = pixel.getImageData(0, 0, 1, 1).data;
      return [[red, green, blue], alpha / 255];
    }

    function readBackground(element: Element | null): number[] {
      for (let at = element; at; at = at.parentElement) {
        const [color, alpha] = read(getComputedStyle(at).backgroundColor);
        if (alpha === 1) return color;
      }
      return [255, 255, 255];
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
