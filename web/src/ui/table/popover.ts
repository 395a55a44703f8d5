const gapPx = 4;

/**
 * Places a popover of the browser beside the button before it: above or below, on the side that has
 * more room, with the same right edge. It closes when the page scrolls, because it would stay while
 * its button moves away.
 */
export function placeBesideButton(popover: HTMLElement): void {
  const button = popover.previousElementSibling?.getBoundingClientRect();
  if (!button) return;
  const { clientWidth, clientHeight } = document.documentElement;
  const isBelow = button.bottom < clientHeight / 2;
  const style = isBelow
    ? { top: `${button.bottom + gapPx}px`, bottom: 'auto' }
    : { top: 'auto', bottom: `${clientHeight - button.top + gapPx}px` };
  Object.assign(popover.style, { ...style, left: 'auto', right: `${clientWidth - button.right}px` });
  const closeOnScroll = ({ target }: Event) => {
    if (!(target instanceof Node && popover.contains(target))) closePopover(popover);
  };
  document.addEventListener('scroll', closeOnScroll, { once: true, capture: true });
}

/** Returns the focus to the button of the popover. */
export function closePopover(popover: HTMLElement): void {
  if (popover.matches(':popover-open')) popover.hidePopover();
}
