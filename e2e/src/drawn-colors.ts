import type { JSHandle, Page } from 'playwright-core';

type Rgb = readonly number[];

/** Functions in the page, for code that runs there. */
export interface DrawnColors {
  /** Reads any CSS color; `alpha` is from 0 to 1. */
  read(color: string): { readonly rgb: Rgb; readonly alpha: number };
  /** Returns the color of the nearest opaque background, from this element outward. */
  readBackground(element: Element | null): Rgb;
  /** Returns the contrast of WCAG, from 1 to 21. */
  getContrast(first: Rgb, second: Rgb): number;
}

export function openDrawnColors(page: Page): Promise<JSHandle<DrawnColors>> {
  return page.evaluateHandle((): DrawnColors => {
    const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    return { read, readBackground, getContrast };

    function read(color: string): ReturnType<DrawnColors['read']> {
      if (!pixel) return { rgb: [], alpha: 0 };
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = color;
      pixel.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = pixel.getImageData(0, 0, 1, 1).data;
      return { rgb: [red, green, blue], alpha: alpha / 255 };
    }

    function readBackground(element: Element | null): Rgb {
      for (let at = element; at; at = at.parentElement) {
        const { rgb, alpha } = read(getComputedStyle(at).backgroundColor);
        if (alpha === 1) return rgb;
      }
      return [255, 255, 255];
    }

    function getContrast(first: Rgb, second: Rgb): number {
      const [dark = 0, light = 0] = [getLuminance(first), getLuminance(second)].toSorted((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    }

    function getLuminance(rgb: Rgb): number {
      const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
        const value = part / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    }
  });
}
