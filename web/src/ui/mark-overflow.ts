/**
 * A ref callback that sets `data-overflows` on a frame while its content is wider. Its styles let
 * it scroll only then, because a header cannot stick to the window inside a frame that scrolls.
 * What gets the focus is scrolled beside the column that stays in sight, marked by `data-sticky`.
 */
export function markOverflow(frame: HTMLElement | null): (() => void) | undefined {
  if (!frame) return undefined;
  const [content] = frame.children;
  const observer = new ResizeObserver(() => {
    frame.toggleAttribute('data-overflows', (content?.scrollWidth ?? 0) > frame.clientWidth);
    const sticky = frame.querySelector('th[data-sticky]');
    const isSticky = sticky !== null && getComputedStyle(sticky).position === 'sticky';
    frame.style.scrollPaddingInlineEnd = isSticky ? `${sticky.getBoundingClientRect().width}px` : '';
  });
  observer.observe(frame);
  if (content) observer.observe(content);
  return () => observer.disconnect();
}
