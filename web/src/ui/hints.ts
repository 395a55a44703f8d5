import styles from './hints.module.css';

const hoverDelayMs = 300;
const gapPx = 5;
const edgePx = 8;

/**
 * Shows the `data-hint` of an element beside it while the pointer or the focus is there, or after a
 * touch. One box for the whole page: one for each element would make long tables slow. Screen
 * readers need the same text as the element's `aria-description`.
 */
export function followHints(): () => void {
  const box = document.createElement('div');
  box.className = styles.hint ?? '';
  box.role = 'tooltip';
  box.popover = 'manual';
  document.body.append(box);
  let owner: Element | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const place = () => {
    if (!owner?.isConnected || !owner.hasAttribute('data-hint')) return hide();
    box.textContent = owner.getAttribute('data-hint');
    box.showPopover();
    placeBox(box, owner.getBoundingClientRect());
  };
  // The owner may be removed, or have another hint, while its hint is in view.
  const changes = new MutationObserver(() => {
    if (!owner?.isConnected || owner.getAttribute('data-hint') !== box.textContent) place();
  });
  const show = (element: Element, delayMs: number) => {
    if (owner === element) return;
    hide();
    owner = element;
    timer = setTimeout(() => {
      place();
      changes.observe(document.body, { childList: true, subtree: true, attributeFilter: ['data-hint'] });
    }, delayMs);
  };
  const hide = () => {
    clearTimeout(timer);
    changes.disconnect();
    if (box.matches(':popover-open')) box.hidePopover();
    owner = null;
  };
  const end = new AbortController();
  const on = <Name extends keyof DocumentEventMap>(name: Name, listener: (event: DocumentEventMap[Name]) => void) =>
    document.addEventListener(name, listener, { signal: end.signal, capture: true, passive: true });
  on('pointerover', ({ target, pointerType }) => {
    const hinted = findHinted(target);
    if (hinted) show(hinted, pointerType === 'touch' ? 0 : hoverDelayMs);
    else if (pointerType !== 'touch' && owner && !owner.contains(document.activeElement)) hide();
  });
  on('focusin', ({ target }) => {
    const hinted = findHinted(target);
    if (hinted?.matches(':focus-visible')) show(hinted, 0);
    else if (hinted !== owner) hide();
  });
  on('focusout', hide);
  on('pointerdown', ({ target, pointerType }) => {
    if (pointerType !== 'touch' || findHinted(target) !== owner) hide();
  });
  on('keydown', ({ key }) => key === 'Escape' && hide());
  on('scroll', hide);
  return () => {
    end.abort();
    hide();
    box.remove();
  };
}

function findHinted(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest('[data-hint]') : null;
}

/** Above its owner, or below it where there is no room, and inside the window. */
function placeBox(box: HTMLElement, owner: DOMRect): void {
  const { clientWidth } = document.documentElement;
  const { offsetWidth: width, offsetHeight: height } = box;
  const top = owner.top - height - gapPx;
  const left = Math.min(owner.left + (owner.width - width) / 2, clientWidth - width - edgePx);
  box.style.inset = `${top < edgePx ? owner.bottom + gapPx : top}px auto auto ${Math.max(edgePx, left)}px`;
}
