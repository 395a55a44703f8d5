/**
 * Ignores a click that reaches another row than the last click although the pointer has not moved:
 * the rows have moved, and the user meant the first one. Returns a function that stops it.
 */
export function guardClicks(area: HTMLElement | null): (() => void) | undefined {
  if (!area) return undefined;
  let last: { readonly x: number; readonly y: number; readonly row: Element | null } | null = null;
  const check = (event: MouseEvent) => {
    // A click by a key has no position, and reaches what has the focus.
    if (event.detail === 0) return;
    const { clientX: x, clientY: y, target } = event;
    const row = target instanceof Element ? target.closest('tr') : null;
    if (last && last.x === x && last.y === y && last.row !== row) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    last = { x, y, row };
  };
  const forget = ({ clientX, clientY }: PointerEvent) => {
    if (last && (last.x !== clientX || last.y !== clientY)) last = null;
  };
  area.addEventListener('click', check, { capture: true });
  document.addEventListener('pointermove', forget, { passive: true });
  return () => {
    area.removeEventListener('click', check, { capture: true });
    document.removeEventListener('pointermove', forget);
  };
}
