import { type RefObject, useEffect, useState } from 'react';
import { keepOrder } from './keep-order.ts';

/** What a table shows, and what it was computed from. */
interface Shown<Row> {
  readonly view: string;
  readonly found: readonly Row[] | undefined;
  readonly rows: readonly Row[] | undefined;
}

/**
 * Keeps the rows of a table in their places while the pointer or the focus is in its area, so that
 * a refresh never moves another row under the pointer. Afterwards they are in order again.
 *
 * @param view what the user chose to see, such as the sort; a change ends the old order
 */
export function useHeldOrder<Row>(options: {
  area: RefObject<HTMLElement | null>;
  rows: readonly Row[] | undefined;
  found: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  view: string;
}) {
  const { area, rows, found, rowId, view } = options;
  const isHeld = useIsInUse(area, rows);
  const [last, setLast] = useState<Shown<Row>>({ view, found, rows: found });
  let shown = last;
  if (last.view !== view || last.found !== found || (!isHeld && last.rows !== found)) {
    const isKept = isHeld && last.view === view && last.rows && rows && found;
    shown = { view, found, rows: isKept ? keepOrder(last.rows, { rows, found, rowId }) : found };
    setLast(shown);
  }
  return {
    /** The found rows in their places, with those that are no longer found. */
    ordered: shown.rows,
    isOutOfOrder: shown.rows !== found,
    sortAgain: () => setLast({ view, found, rows: found }),
  };
}

/**
 * Whether the pointer, the focus or an open menu is in the area, or was there when a dialog opened
 * over it.
 */
function useIsInUse(area: RefObject<HTMLElement | null>, rows: unknown): boolean {
  const [isInUse, setIsInUse] = useState(false);
  useEffect(() => {
    const element = area.current;
    if (!element) return;
    const enter = () => setIsInUse(true);
    const leave = () => setIsInUse((was) => hasUser(element) || (was && isCovered(element)));
    // The focus is nowhere while it moves.
    const leaveWithFocus = ({ relatedTarget }: FocusEvent) => {
      if (!(relatedTarget instanceof Node && element.contains(relatedTarget))) leave();
    };
    element.addEventListener('pointerenter', enter);
    element.addEventListener('pointerleave', leave);
    element.addEventListener('focusin', enter);
    element.addEventListener('focusout', leaveWithFocus);
    return () => {
      element.removeEventListener('pointerenter', enter);
      element.removeEventListener('pointerleave', leave);
      element.removeEventListener('focusin', enter);
      element.removeEventListener('focusout', leaveWithFocus);
    };
  }, [area]);
  // Browsers report neither the end of a dialog nor a table that appears under the pointer.
  useEffect(() => {
    const element = area.current;
    if (element && rows) setIsInUse((was) => hasUser(element) || (was && isCovered(element)));
  }, [area, rows]);
  return isInUse;
}

function hasUser(area: HTMLElement): boolean {
  return area.matches(':hover, :focus-within') || area.querySelector('[aria-haspopup][aria-expanded="true"]') !== null;
}

function isCovered(area: HTMLElement): boolean {
  return [...document.querySelectorAll('[aria-modal="true"]')].some((dialog) => !dialog.contains(area));
}
