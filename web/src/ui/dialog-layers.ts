import { type RefObject, useLayoutEffect } from 'react';

/** Longer than dialogs and pickers take to give the focus back themselves. */
const focusReturnMs = 50;

/** What waits until no dialog is open. */
const waiting = new Set<() => void>();
let isPageInert = false;
/** What is open inside a dialog, with what closes it. */
const innerLayers = new Map<HTMLElement, () => void>();

/** Runs this now, or as soon as the page behind the closing dialog can have the focus again. */
export function whenPageIsFree(run: () => void): void {
  if (isPageInert) waiting.add(run);
  else run();
}

/**
 * Treats open dialogs as layers: everything behind the top one is inert, so that Tab cannot reach
 * it; Escape closes only the top one; and the focus is never lost behind it, as when the focused
 * element is removed. Elements of the frame that are behind dialogs have `data-behind-dialogs`.
 */
export function useDialogLayers(frame: RefObject<HTMLElement | null>): void {
  // A layout effect, because this key listener must come before those of the dialogs.
  useLayoutEffect(() => {
    let opener: Element | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      const dialogs = findDialogs();
      const isOpen = dialogs.length > 0;
      if (isOpen && !isPageInert) opener = document.activeElement;
      const parts = frame.current?.querySelectorAll<HTMLElement>('[data-behind-dialogs]') ?? [];
      for (const part of parts) part.inert = isOpen;
      for (const [index, dialog] of dialogs.entries()) dialog.inert = index < dialogs.length - 1;
      if (!isOpen && isPageInert) freePage(opener);
      isPageInert = isOpen;
      clearTimeout(timer);
      if (isOpen) timer = setTimeout(catchFocus, focusReturnMs);
    };
    const stopObserving = observePortals(update);
    window.addEventListener('keydown', closeTopDialog, { capture: true });
    return () => {
      stopObserving();
      clearTimeout(timer);
      window.removeEventListener('keydown', closeTopDialog, { capture: true });
      isPageInert = false;
    };
  }, [frame]);
}

/**
 * Lets Escape, anywhere in the dialog around it, close this mounted element instead of the dialog.
 */
export function useInnerLayer(root: RefObject<HTMLElement | null>, close: () => void): void {
  // A layout effect: as soon as the element cannot be seen, Escape closes the dialog.
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return;
    innerLayers.set(element, close);
    return () => void innerLayers.delete(element);
  }, [root, close]);
}

/** Returns the open dialogs, the top one last: later ones are drawn over earlier ones. */
function findDialogs(): HTMLElement[] {
  return getPortals().flatMap((portal) => [...portal.querySelectorAll<HTMLElement>('[aria-modal="true"]')]);
}

function getPortals(): Element[] {
  return [...document.body.children].filter(({ id }) => id !== 'root');
}

/** Calls this after each change in dialogs and pickers, which are outside the page's own root. */
function observePortals(onChange: () => void): () => void {
  const inside = new MutationObserver(onChange);
  const outside = new MutationObserver(() => {
    for (const portal of getPortals())
      inside.observe(portal, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    onChange();
  });
  outside.observe(document.body, { childList: true });
  return () => {
    inside.disconnect();
    outside.disconnect();
  };
}

/** Mantine gives the focus back itself, unless it tries before the page is free. */
function freePage(opener: Element | null): void {
  for (const run of waiting) run();
  waiting.clear();
  if (isFocusLost() && opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function catchFocus(): void {
  if (isFocusLost()) findDialogs().at(-1)?.focus({ preventScroll: true });
}

/** Every open dialog of Mantine would close, also around an open list or another inner layer. */
function closeTopDialog(event: KeyboardEvent): void {
  const dialogs = findDialogs();
  const top = dialogs.at(-1);
  if (event.key !== 'Escape' || event.isComposing || top === undefined) return;
  if (event.target instanceof Element && event.target.getAttribute('data-mantine-stop-propagation') === 'true') return;
  const popover = top.querySelector<HTMLElement>('[popover]:popover-open');
  const closePopover = popover && (() => popover.hidePopover());
  const closeInner = closePopover ?? [...innerLayers].find(([element]) => top.contains(element))?.[1];
  if (closeInner === undefined && dialogs.length === 1) return;
  event.stopImmediatePropagation();
  const close = closeInner ?? (() => clickClose(top));
  close();
}

/** Without a button, a click beside the dialog closes it. */
function clickClose(dialog: HTMLElement): void {
  const layer = dialog.closest('.mantine-Modal-root, .mantine-Drawer-root');
  (layer?.querySelector<HTMLElement>(closeButtons) ?? layer?.querySelector<HTMLElement>(overlays))?.click();
}

const closeButtons = '.mantine-Modal-close, .mantine-Drawer-close';
const overlays = '.mantine-Modal-overlay, .mantine-Drawer-overlay';
