const steps = ['data-dense', 'data-narrow', 'data-overflows'] as const;

/** Longer than the time between two letters of a search. */
const relaxDelayMs = 300;

/**
 * A ref callback that marks how the content of a frame fits, in steps:
 *
 * - `data-dense` while it is wider with the usual distances.
 * - `data-narrow` while it is wider with all actions of the rows in place. Its styles show
 *   them in a menu of each row, so that no other column has to make room for them.
 * - `data-overflows` while it is wider even so. Its styles let it scroll only then, because a
 *   header cannot stick to the window inside a frame that scrolls. A control that receives the
 *   focus scrolls clear of the actions, which stay at the edge.
 *
 * A step is added at once, and removed when the frame gets another width, or after a while without
 * other changes: to try without it lays out the table several times.
 */
export function fitFrame(frame: HTMLElement | null): (() => void) | undefined {
  if (!frame) return undefined;
  const [content] = frame.children;
  const isTooWide = () => (content?.scrollWidth ?? 0) > frame.clientWidth;
  const fit = () => {
    for (const step of steps) frame.removeAttribute(step);
    for (const step of steps) if (isTooWide()) frame.setAttribute(step, '');
    const actions = frame.querySelector<HTMLElement>('[data-actions]');
    const isSticky = actions !== null && getComputedStyle(actions).position === 'sticky';
    frame.style.scrollPaddingInline = `0 ${isSticky ? actions.offsetWidth : 0}px`;
  };
  let request = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let width = frame.clientWidth;
  const adapt = () => {
    const isResized = frame.clientWidth !== width;
    width = frame.clientWidth;
    const taken = steps.filter((step) => frame.hasAttribute(step));
    if (isResized || (taken.length < steps.length && isTooWide())) fit();
    else if (taken.length > 0) timer = setTimeout(fit, relaxDelayMs);
  };
  const observer = new ResizeObserver(() => {
    cancelAnimationFrame(request);
    clearTimeout(timer);
    // Later, because changing an observed element during its notification is an error.
    request = requestAnimationFrame(adapt);
  });
  observer.observe(frame);
  if (content) observer.observe(content);
  return () => {
    cancelAnimationFrame(request);
    clearTimeout(timer);
    observer.disconnect();
  };
}
