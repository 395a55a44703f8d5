import { EditorView } from '@codemirror/view';

const endMarginPx = 4;
const sideMarginPx = 80;

/** Drops half as many frames as setting `scrollTop` directly. */
export function scrollTo(position: number, y: 'start' | 'end' | 'center') {
  return EditorView.scrollIntoView(position, { y });
}

/**
 * Replaces CodeMirror's scrolling, which also moves the page around the view. Scrolls horizontally
 * for 'center' only.
 */
export function scrollWithin(view: EditorView, position: number, y: string): void {
  const rects = getRects(view, position);
  if (rects === null) return;
  const { scrollDOM } = view;
  const box = scrollDOM.getBoundingClientRect();
  const { clientWidth, clientHeight } = scrollDOM;
  if (y === 'start') scrollDOM.scrollTop += rects.line.top - box.top;
  else if (y === 'end') scrollDOM.scrollTop += rects.line.bottom + endMarginPx - (box.top + clientHeight);
  else {
    const { left, top, bottom } = rects.character;
    scrollDOM.scrollTop += (top + bottom - clientHeight) / 2 - box.top;
    const isOutsideHorizontally = left < box.left || left > box.left + clientWidth - sideMarginPx;
    if (isOutsideHorizontally) scrollDOM.scrollLeft += left - box.left - clientWidth / 2;
  }
}

/**
 * Returns the screen positions of a line and of a character in it. Reads the DOM, because the view
 * is being measured.
 */
function getRects(view: EditorView, position: number): { line: DOMRect; character: DOMRect } | null {
  const { node, offset } = view.domAtPos(position);
  const element = node instanceof Element ? node : node.parentElement;
  const line = element?.closest('.cm-line')?.getBoundingClientRect();
  if (line === undefined) return null;
  const range = document.createRange();
  range.setStart(node, offset);
  return { line, character: range.getClientRects()[0] ?? line };
}
