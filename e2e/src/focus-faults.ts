import type { Page } from 'playwright-core';

/** The height of all that sticks to the edges of a window, with the outline of what is beside. */
const maxStickyHeightPx = 160;

/** A part of the page that clips what is in it, with the height that sticks to its upper edge. */
interface Clip {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly sticky: number;
}

/**
 * Gives the focus to each control of the top dialog, or of the page's content, forward and backward
 * as Tab and Shift+Tab do. Returns the controls that do not show it, and those of which one of five
 * points is hidden: outside of a part that scrolls, or below something else. The browser shows the
 * focus only after a key, so press one first.
 */
export function readFocusFaults(page: Page): Promise<string[]> {
  return page.evaluate(async (maxStickyPx) => {
    const dialogs = document.querySelectorAll<HTMLElement>('[aria-modal="true"]');
    const scope = dialogs[dialogs.length - 1] ?? document.querySelector('main') ?? document.body;
    const controls = [...scope.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex]')];
    const stops = controls.filter(
      (control) => control.tabIndex >= 0 && !control.matches(':disabled') && isShown(control),
    );
    const faults = new Set<string>();
    for (const stop of [...stops, ...stops.toReversed()]) {
      stop.focus();
      if (document.activeElement !== stop) continue;
      const fault = findFault(stop);
      if (fault === null) continue;
      // What the last control opened closes after the focus has left it.
      for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
      const lasting = findFault(stop);
      if (lasting !== null && document.activeElement === stop) faults.add(`${describe(stop)}: ${lasting}`);
    }
    return [...faults];

    function findFault(stop: HTMLElement): string | null {
      const drawn = findDrawn(stop);
      const covers = readPoints(drawn).flatMap(([x, y]) => findCover(drawn, x, y) ?? []);
      if (covers.length > 0) return `${covers.length} of 5 points are hidden, by ${covers[0]}`;
      return hasOutline(stop) ? null : 'does not show the focus';
    }

    function isShown(control: HTMLElement): boolean {
      return control.checkVisibility({ visibilityProperty: true }) && control.closest('[inert]') === null;
    }

    /** What is drawn for a control: the label of an input that is not drawn itself. */
    function findDrawn(control: HTMLElement): HTMLElement {
      const { width, height } = control.getBoundingClientRect();
      const isDrawn = width > 1 && height > 1 && getComputedStyle(control).opacity !== '0';
      if (isDrawn || !(control instanceof HTMLInputElement)) return control;
      return control.labels?.[0] ?? control;
    }

    /** The center and the corners, a little inside, of what its scrolling parts can show. */
    function readPoints(drawn: HTMLElement): [x: number, y: number][] {
      const rects = [...drawn.getClientRects()].toSorted((a, b) => b.width * b.height - a.width * a.height);
      const rect = rects[0] ?? drawn.getBoundingClientRect();
      let { left, right, top, bottom } = rect;
      for (const clip of readClips(drawn)) {
        // What does not fit beside what sticks to the edges cannot be seen as a whole.
        if (rect.width > clip.right - clip.left) {
          left = Math.max(left, clip.left);
          right = Math.min(right, clip.right);
        }
        if (rect.height > clip.bottom - clip.top - maxStickyPx) {
          top = Math.max(top, clip.top + clip.sticky);
          bottom = Math.min(bottom, clip.bottom);
        }
      }
      const [dx, dy] = [Math.min(3, (right - left) / 4), Math.min(3, (bottom - top) / 4)];
      return [
        [(left + right) / 2, (top + bottom) / 2],
        [left + dx, top + dy],
        [right - dx, top + dy],
        [left + dx, bottom - dy],
        [right - dx, bottom - dy],
      ];
    }

    /** The window and the parts that clip this element. */
    function readClips(element: Element): Clip[] {
      const sticky = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
      const clips: Clip[] = [{ left: 0, top: 0, right: innerWidth, bottom: innerHeight, sticky }];
      for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
        const { display, overflowX, overflowY, position } = getComputedStyle(at);
        const isClipping = display !== 'contents' && (overflowX !== 'visible' || overflowY !== 'visible');
        if (isClipping && at !== document.documentElement) {
          const { left, top } = at.getBoundingClientRect();
          const [x, y] = [left + at.clientLeft, top + at.clientTop];
          clips.push({ left: x, top: y, right: x + at.clientWidth, bottom: y + at.clientHeight, sticky: 0 });
        }
        if (position === 'fixed') break;
      }
      return clips;
    }

    /** Returns what hides a point of the element: an edge of a part, or what is drawn over it. */
    function findCover(drawn: HTMLElement, x: number, y: number): string | null {
      const isClipped = readClips(drawn).some(
        ({ left, right, top, bottom }) => x < left - 1 || x > right + 1 || y < top - 1 || y > bottom + 1,
      );
      if (isClipped) return 'an edge';
      const hit = document.elementFromPoint(x, y);
      // The icon of a field is drawn over it.
      const field = drawn.matches('input') ? drawn.parentElement : null;
      const isSeen = hit === null || drawn.contains(hit) || hit.contains(drawn) || field?.contains(hit);
      return isSeen ? null : `${hit.tagName.toLowerCase()}.${hit.className}`;
    }

    /** Whether the control, what surrounds it closely, or its label has an outline. */
    function hasOutline(control: HTMLElement): boolean {
      const near: Element[] = [];
      for (let at: Element | null = control; at && near.length < 5; at = at.parentElement) near.push(at);
      const labels = control instanceof HTMLInputElement ? [...(control.labels ?? [])] : [];
      const drawn = [...near, control.nextElementSibling, ...labels].filter((element) => element !== null);
      return drawn.some((element) => isOutlined(element) || isOutlined(element, '::after'));
    }

    function isOutlined(element: Element, part?: string): boolean {
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element, part);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1 && !/^rgba.* 0\)$/.test(outlineColor);
    }

    function describe(control: HTMLElement): string {
      const name = control.getAttribute('aria-label') ?? (control.innerText || control.getAttribute('placeholder'));
      const label = control instanceof HTMLInputElement ? control.labels?.[0]?.innerText : undefined;
      return `${control.tagName.toLowerCase()} “${(label || name || control.id).trim().replaceAll(/\s+/g, ' ').slice(0, 50)}”`;
    }
  }, maxStickyHeightPx);
}
